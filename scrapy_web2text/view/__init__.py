"""What people look at: the viewer of labels, the label editor, and texts side by side.

`pages` lists the pages that a command names, `facts` and `seen` collect what is shown of a page as plain data, and
`markup` writes the page with its blocks marked. `comparison` compares two answers, `sides` two feeds or models, and
`document` joins these with the scripts and styles in ``assets``. The label editor is the viewer, served by `server` to
the browser of this machine, as is `trial`; `session` and `entries` have its pages, and `store` keeps labels in files.
"""
