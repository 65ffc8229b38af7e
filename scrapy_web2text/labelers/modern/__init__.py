"""web2text-2026: a dilated residual CNN gives the potentials of a chain of blocks, which the HMM decodes.

`labeler` runs the stages. `network` turns features into potentials with the layers of `layers`, and `roles` predicts
the roles of blocks. `decisions` makes the decoded labels an answer to a whole page: `stated` adds what the page states
to be content; `members` and `parts` complete lists, tables, boxes and sentences; `comments`, `next_articles`, `apart`
and `repeats` drop what is another text or a copy.
"""
