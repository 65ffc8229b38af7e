"""From a page to its answer.

`sequence` has the stages in their order, `labels` chooses the labeler, `stages` contains the failure of a stage, and
`trace` holds the results of the stages.
"""
