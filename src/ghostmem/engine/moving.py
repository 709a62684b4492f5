"""The mark of a store that `ghost migrate` is still filling; a Ghost that does not know it takes the store for a newer one's."""

MOVING = "unfinished-move"  # a name in the ledger of migrations, where every Ghost looks when it opens a store
