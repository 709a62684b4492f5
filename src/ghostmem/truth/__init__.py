"""Which memories are true: corrections, contradictions, validity, and the past.

`plain` compares two texts by phrases: a restatement, an update, a conflict, or unrelated. In a put,
`memory.verdict` asks the judge (`ghostmem.judge`) and uses `plain` without it or where it is not
sure. `injection` finds texts that give orders to an agent.
`corrections` links a correction to the memories it corrects, closes or reopens these, and orders
contradicting memories: the user's own statements first, then the newest.

For a search, `contradictions` finds the memories that prevail over its hits and the user's own
statements about the same subject, and `annotations` writes notes on the hits from both.
`sources` resolves the spellings of a person's name.
`conflicts` lists unresolved contradictions and resolves them. `as_of` copies the store as it was
at a time, for searches of the past.

Several tests decide that two texts say the same, each for one purpose:
- `tx.listing.same_content`: identical texts; a put with `dedup` reinforces the stored memory.
- `alike.essence`: the same words in the same order, whatever case, punctuation and filler
  words; reflect merges such memories, and the audit reports them.
- `alike.resembles`: all distinctive words of one are in the other, in the same order; with
  near vectors, the audit reports such memories too (`lifecycle.audit`), and a put that
  corrects one of them corrects the other.
- `context.duplicates.fingerprint`: the same distinctive words, numbers, negations and persons; a
  context shows one of such memories.
- the judge: both say the same in other words; the verdict of a put (`memory.verdict`)."""
