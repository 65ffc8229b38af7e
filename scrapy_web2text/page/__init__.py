"""The page: from HTML in any form to flat arrays and blocks.

`parse` turns bytes, str or a Selector into an lxml tree: `sniffing` refuses what is not HTML, `encoding` decodes the
bytes, whose encoding `detection` guesses, and `bounds` refuses pages that would take too much memory or time. `tree`
finds the roots of a page in its tree, and the elements that tell what it is about. `arrays` turns the tree into a
`Page` of numpy arrays, with `reader`; `browser_tree` puts its tags into the order of browsers, `tags` numbers them,
`formulas` puts TeX, as `tex` writes it, in the place of formulas, also of those that `drawn_math` reads, and
`invisible` drops characters that readers do not see. `blocks` divides the text leaves into blocks, the units that are
labeled. `sheets` reads the style sheets of a page, `sheet_selectors` their selectors, `styles` tells what declarations
do to a text, `looks` finds the styles of elements by all of these, and `hidden` what a reader does not see. `selection`
finds the elements that selectors match. `paths` writes XPaths, and `urls` joins links. No module modifies the tree.
"""
