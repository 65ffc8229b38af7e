"""Training of the networks of Web2Text, 2018."""
