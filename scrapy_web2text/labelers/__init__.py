"""Labelers: from the blocks of a page to a label and a probability for each block.

`registry` finds a labeler by name. `base` defines the protocol of all labelers and their answer, `Labeling`. Trained
models (`cnn_hmm`, `modern`, `dragnet`) read a model folder (`weights`), turn the features of a page into potentials
(`numeric`, `sums`) and decode them (`chain`, `hmm`). Rules (`bte`, `shallow`) take the probabilities of groups of
blocks from a table (`rules`). Last, `confidence` predicts the word F1 of an answer, and `fallback` decides whether the
answer of the rules may replace that of a model.
"""
