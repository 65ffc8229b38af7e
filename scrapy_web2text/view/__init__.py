"""The viewer: a page with its labels, beside the text that comes out, as one HTML file without network access.

`facts` collects what is shown of a page as plain data, `markup` writes the page with its blocks marked, `links` finds
the blocks in the text, and `document` joins these with the scripts and styles of this folder.
"""
