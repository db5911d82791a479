"""Makes the toys importable here and in the worker processes, which inherit the import path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
