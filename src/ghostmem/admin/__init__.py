"""Administration of a store.

`namespaces` counts what it holds, and removes whole namespaces. `check` looks for
corruption and repairs the indexes; `doctor` checks the installation, the settings and the store,
and `where` tells which namespace and store commands use.
`verify` recomputes the hash chain of the audit log and lists it. `tokens` manages access over the
network. `cluster` is for PostgreSQL only: grants for roles, distribution over a cluster, and vector
indexes."""
