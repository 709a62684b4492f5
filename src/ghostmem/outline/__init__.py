"""The code outline: the symbols of a project and their relations, without guesses.

The modules in the order of the data:

- `sources` lists the files of a project, and `parse` turns each into facts.
- `engine` extracts the facts and links those of all files to one graph (`graph`), by the tables and
  rules in `languages`.
- `project_graph` caches facts and graphs in the store, and `stored_graph` writes and reads a graph
  as rows: nodes, links, and unresolved references.
- `find` looks symbols up, `tree` selects what an outline shows, and `render` writes it as text or
  JSON; `operations` are the functions for callers.
- `symbols`, `memories` and `stale` link memories to symbols, and tell when their code changed.
"""
