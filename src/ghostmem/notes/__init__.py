"""Markdown folders: notes that are searched in place, folders that mirror a namespace, and files.

All read files of sections with `text.sections` and front matter with `text.frontmatter`.

Searched folders: `folders` has the operations. `scan` lists the files of a folder, whose layout
(`layouts`) says which files are notes and how a note splits into sections. `sync` compares the
files with the indexed notes, and `index` stores each section as a memory and its links as edges.
`refresh` does that before a search, `watch` on events. `write_section` changes a section
or appends to daily notes (also for `memory_tools`). `project` names the namespace of a folder.

Mirrors: `mirror` keeps a namespace and a folder equal in both directions. `mirrors` has the
units of a folder and its two layouts.

Files without a store: `knowledge` (topics in .ai-knowledge: `topic_files`), `roles`
(files of a team of agents) and `grep`. All writes go through `lock` and `files`."""
