"""From a page to its answer.

`sequence` has the stages in their order, `labels` chooses the labeler, and `trace` holds the results of the stages and
contains their failures.
"""
