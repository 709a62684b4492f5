"""The parts of a mirror: a namespace kept equal with a markdown folder, in both directions.

`units` says what a folder is made of: units, one memory each, with the names that keys have in it,
and merges a memory and a unit given what both said before. `daily` and `topics` are the two
layouts, whose files `notes.scan` lists. `folder` reads all units of a folder and edits them. `run`
merges a few keys at a time: first the store, then the folder, then the record of the common state.
`ghostmem.notes.mirror` is the operation."""
