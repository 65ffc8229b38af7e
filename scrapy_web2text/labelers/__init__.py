"""Labelers: from the blocks of a page to a label and a probability for each block.

`registry` finds a labeler by name. `base` defines the protocol of all labelers and their answer, `Labeling`. Trained
models (`cnn_hmm`, `modern`) read a model folder (`weights`), turn the features of a page into potentials (`numeric`)
and decode them (`chain`). Rules (`bte`, `shallow`) take the probabilities of groups of blocks from a table (`rules`).
`fragment` and `selector` need neither. Last, `confidence` predicts the word F1 of an answer, and decides whether the
rules may answer in place of a model.
"""
