"""The training of chain models: networks of any form that give potentials to the blocks of whole pages, end to end."""
