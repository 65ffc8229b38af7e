"""The documents that people look at: the viewer of labels, the label editor, and texts side by side.

`seen` collects what is shown of a page as plain data, and `markup` writes the page with its blocks marked. `comparison`
compares two answers, `sides` two feeds, and `document` joins these with the scripts and styles in ``assets``. The label
editor is a viewer with more tools, which `server` serves to the browser of this machine, like the page of `trial`.
`session` has the pages of the editor, `rules` finds the rule of their site, and `store` keeps its labels in files.
"""
