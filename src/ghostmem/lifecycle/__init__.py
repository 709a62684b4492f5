"""Maintenance of the store: rules, reflect, undo, garbage collection and audit.

`rules` lists and changes the rules, and has those that every store starts with. `reflect` is a run
of the rules over every namespace:

1. `plan` reads the memories and returns every change without making it: `actions` finds the first
   rule of a memory and the fields that its action changes; then memories that say the same are
   linked or merged, and unused edges fade.
2. `run_log` stores the plan, so that a run that was killed is finished by the next one.
3. It makes each change, unless its subject has changed meanwhile; `undo` there reverses them.

`workers` shares a run between processes on PostgreSQL. `gc` deletes expired and stale memories.
`audit` scores how tidy a store is, and finds repeated memories for that."""
