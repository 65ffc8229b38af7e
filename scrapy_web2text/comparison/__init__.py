"""Two answers for the same pages, compared.

`texts` compares the texts of a page by words, `pages` counts over all pages, `rows` sets two texts side by side, and
`document` writes the result as one HTML file, which looks and works like the viewer.
"""
