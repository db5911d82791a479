"""What Ctrl-C comes to; known before anything heavy is imported."""

STOPPED = 130
STOPPED_EARLY = "Stopped before the answer was ready."
