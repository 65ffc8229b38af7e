"""Labelers whose potentials come from a torch network over the chain of the blocks, and their training."""
