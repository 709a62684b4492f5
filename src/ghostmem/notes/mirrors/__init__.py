"""The parts of a mirror: a namespace kept equal with a markdown folder, in both directions.

`units` says what a folder is made of: units, one memory each. `names` turns keys into headings and
file names. `daily` and `topics` are the two layouts. `folder` reads all units of a folder and edits
them. `merge` merges a memory and a unit given what both said before. `run` applies the merge to a
few keys at a time: first the store, then the folder, then the record of the common state.
`ghostmem.notes.mirror` is the operation."""
