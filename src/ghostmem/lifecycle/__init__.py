"""Maintenance of the store: rules, reflect, undo, garbage collection and audit.

`rules` lists and changes the rules; `builtin` has those that every store starts with. `reflect` is
a run of the rules over every namespace:

1. `plan` reads the memories and returns every change without making it: `match` finds the first
   rule of a memory, `actions` the fields that its action changes; then memories that say the same
   are linked or merged, and unused edges fade.
2. The plan is stored (`run_log`), so that a run that was killed is finished by the next one.
3. `apply` makes each change, unless its subject has changed meanwhile.

`workers` shares a run between processes on PostgreSQL. `undo` reverses the stored changes of a run.
`gc` deletes expired and stale memories. `audit` scores how tidy a store is; `duplicates` finds
repeated memories for it."""
