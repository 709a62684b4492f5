"""One engine for all languages of the outline.

`extract` walks the syntax tree of a file once, driven by the language's table (`table`), and notes
plain facts (`facts`): symbols, scopes with their bindings, references, and terms (`terms`) for
expressions and types. `resolve` evaluates terms over the facts of all files, and `link` turns every
reference into a link or leaves it unresolved. `language` says what a language has to provide.
"""
