"""Training of models of the kind ``modern``."""
