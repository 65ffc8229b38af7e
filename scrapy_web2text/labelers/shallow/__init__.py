"""The rules of Kohlschütter, Fankhauser, Nejdl: Boilerplate Detection using Shallow Text Features, WSDM 2010.

`measures` counts the words of each block, `trees` classifies the blocks by these numbers, and `rules` reduces the
result to one part of the page and joins all under a name such as ``shallow:numwords+largest``.
"""
