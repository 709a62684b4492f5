"""Edges between memories: explicit ones, automatic ones, and the walks along them.

`edges` makes, removes and lists edges on request; `infer` asks a model (`ask`) for them.
`autolink` links a memory to similar ones when its vectors are written: `find_near` runs before the
write lock, `link_alike` inside the transaction, `link_pending` after a backfill. `relink` compares
a whole namespace by names, topics and vectors and adds the edges that are missing.

`clusters` shows the groups of connected memories of a namespace, and `expand` shows summaries and
their contents."""
