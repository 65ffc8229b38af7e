"""Training of chain models: networks of any kind that give potentials to the blocks of whole pages, end to end."""
