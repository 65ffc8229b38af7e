"""Training of Dragnet's logistic regression (Peters, Lecocq 2013)."""
