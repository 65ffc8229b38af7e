"""The features of the modern model."""
