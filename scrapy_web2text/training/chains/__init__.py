"""Training of chain models: networks of any kind, fitted end to end, that give potentials to all blocks of a page."""
