"""Web2Text: Vogels, Ganea, Eickhoff: Deep Structured Boilerplate Removal, ECIR 2018."""
