"""web2text-2026: a dilated residual CNN gives the potentials of a chain of blocks, which the HMM decodes.

`labeler` joins the parts. `network` turns features into potentials with the layers of `layers`, `roles` predicts roles
of blocks, and `repeats` drops copies of a text from the decoded answer.
"""
