"use strict";
// The start of the viewer, after all other scripts.
listen(document);
listPages();
if (nPages) openPage(0);
