"""The version of the package, in the one place that the build and the worker processes read it from."""

__version__ = "0.1.0"
