"""Move memories in and out of a store.

Out: `export` yields every record as a line of JSON, with a signature of the store on request;
`backup` copies the file while it is in use.

In: `import_` reads and checks all lines first, then merges them key by key; `import_foreign` does
the same for other tools, whose files the readers in `formats` turn into `Foreign` records. Keys
that look like instructions go into quarantine with all lines that belong to them
(`import_quarantine`), and `release` writes what a quarantine holds after all.

Across: `migrate` copies all rows to another engine or place, and proves that both are equal.
`audit_foreign` scores the store of another tool."""

POLICIES = ("update", "skip", "fail")  # for keys that exist with other content
TOOLS = ("mem0", "server-memory", "basic-memory", "markdown")  # whose files can be imported
