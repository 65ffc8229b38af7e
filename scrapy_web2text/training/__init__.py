"""Training of the shipped models: the only part of the package that imports torch."""
