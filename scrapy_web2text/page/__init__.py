"""The page: from HTML in any form to flat arrays and blocks.

`parse` turns bytes, str or a Selector into an lxml tree: `sniffing` refuses what is not
HTML, `encoding` decodes the bytes, with the guesses of `detection`, `bounds` refuses pages that are too large, and
`events` builds the trees that libxml2 cannot. `elements` lists the elements, `arrays` turns them into a `Page` of numpy
arrays, and `blocks` divides its text leaves into blocks, the units that are labeled. `landmarks` finds the elements
that tell what a page is about. `cdom` builds the collapsed DOM over the blocks for their features. `paths` finds XPaths
for the answer, and `urls` joins its links. No module modifies the tree.
"""
