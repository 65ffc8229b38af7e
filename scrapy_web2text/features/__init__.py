"""The input of the networks: columns of numbers for each block and each edge."""
