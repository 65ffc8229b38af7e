"""The rules of Kohlschütter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010.

`measures` counts the words of each block, and `trees` classifies the blocks by these numbers. `rules` reduces the
result to one part of the page, and finds the rules by a name such as ``shallow:numwords+largest``.
"""
