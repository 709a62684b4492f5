"""Pure functions on text, with the standard library only.

Indexing: `blocks` reads markdown, `chunk` (with `gather` and `borders`) cuts it into chunks, and
`terms` (with `scripts` and `stem`) turns a chunk into index terms; `labels` does so for keys and
tags, `entities` finds names.
Questions: `question` and `temporal` (words in `calendar`) read the wanted answer and time, and
`spelling` finds near words. Results: `matches` finds the query in a text, `focus` and `fit` cut an
excerpt, `excerpt` shortens to one line, `render` writes a prompt, `entries` scores notes.
Notes: `frontmatter`, `sections`, `links` (with relations), `patch`.
Capture: `machine` removes the text of programs, `capture` yields statements, `infer` asks a model.
Secrets: `redact` runs `secrets` and `assigned` on a searched text. `patterns` compiles regular
expressions on first use.
"""
