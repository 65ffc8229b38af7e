"""The label editor: the viewer, served to the browser of this machine, with keys that correct labels and save them.

`order` says which page is next, `store` keeps labels in files, `session` joins both with the pages, `document` adds the
editor to the viewer, and `server` answers the browser.
"""
