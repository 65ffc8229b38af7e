"""Fragments: everything that a reader sees is content, except plain furniture.

`furniture` finds what is hidden, navigation, forms, and links to share and to read more; `labeler` labels the rest as
content, unless it looks like a whole page.
"""
