"""Embedding providers: turn texts into unit vectors.

`choose` returns the provider of the settings; `base` is the protocol of all providers. `local` runs
a shipped MiniLM model (`models` names them), `folder` one of the user's; `static` is the smaller
table of token vectors (`wordpiece` finds them and makes their token ids). `http` asks an Ollama or
OpenAI-compatible server, `own` calls a function of the caller. `synonyms` and `vocabulary` look up
near and common words in shipped tables, without a model.
"""
