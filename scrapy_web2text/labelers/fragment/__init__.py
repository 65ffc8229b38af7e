"""Fragments: everything that a reader sees is content, except plain furniture.

`furniture` finds navigation, forms, and links to share and to read more. `labeler` labels the rest as content, but does
not answer for markup that looks like a whole page.
"""
