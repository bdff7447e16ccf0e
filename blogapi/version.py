"""The version of this program."""

__version__ = "1.1.0"
