"""Asking a language model, at the user's word only: a command of theirs, or a server over HTTP."""
