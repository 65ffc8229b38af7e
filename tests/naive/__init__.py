"""The slow, obvious twin of the collapsed DOM and of the features of Web2Text: recursive, one rule per function.

Tests compare the package's flat arrays with it. It shares only the counts over single texts with the package, whose
function in Python is as plain. The columns are in the original's order.
"""
