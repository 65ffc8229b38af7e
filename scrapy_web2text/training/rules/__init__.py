"""Training of the table of probabilities that the rules report."""
