"""The version, in one place, readable without importing anything."""

__version__ = "0.16.0"
