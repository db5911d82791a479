"""The version, in a room of its own: every record carries it, and none may import the front door."""

VERSION = "0.1.0"
