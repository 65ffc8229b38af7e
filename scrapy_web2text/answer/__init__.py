"""From a page to its answer: `sequence` has the stages in their order, `labels` who labels, `stages` the boundary."""
