"""Training of models of the kind ``dragnet``: the logistic regression of Peters and Lecocq 2013."""
