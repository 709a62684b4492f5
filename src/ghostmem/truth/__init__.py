"""Which memories are true: corrections, contradictions, validity, and the past.

`rules` compares two texts without a model: a restatement, an update, a conflict, or unrelated; it
also finds texts that read like instructions to an agent. `memory.verdict` applies it in a put.
`corrections` links a correction to the memories it corrects, closes or reopens these, and orders
contradicting memories: the user's own words first, then the newest.

For a search, `contradictions` finds the memories that prevail over its hits and the user's own
statements about the same subject, and `annotations` writes notes on the hits from both.
`sources` resolves the spellings of a person's name.
`conflicts` lists unresolved contradictions and resolves them. `as_of` copies the store as it was
at a time, for searches of the past.

Four tests decide that two texts say the same, each for one purpose:
- `tx.listing.same_content`: identical texts; a put with `dedup` reinforces the stored memory.
- `rules.alike.essence`: the same words in the same order, whatever case, punctuation and filler
  words; reflect merges such memories.
- `rules.alike.resembles`: all distinctive words of one are in the other, in the same order; with
  near vectors, `lifecycle.duplicates` reports such memories.
- `rules.verdict.judge`: one says nothing that the other does not say; the verdict of a put."""
