"""Training of the models: shared modules, and one folder for each kind of model."""
