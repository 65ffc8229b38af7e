"""Training of models of the kind ``cnn-hmm``: the networks of Web2Text 2018."""
