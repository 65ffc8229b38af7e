"""What a maintainer measures: answers, speed, scores of folds and of corpora."""
