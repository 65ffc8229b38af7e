"""The page: from HTML in any form to flat arrays and blocks.

`parse` turns bytes, str or a Selector into an lxml tree, `elements` lists its elements, `arrays` turns them into a
`Page` of numpy arrays, and `blocks` divides its text leaves into blocks, the units that are labeled. `cdom` builds the
collapsed DOM over the blocks for their features, and `paths` finds XPaths for the answer. No module modifies the tree.
"""
