"""The version, in a module of its own: every record carries it, and none may import the package itself."""

VERSION = "0.1.0"
