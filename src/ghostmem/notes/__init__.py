"""Markdown folders: reading them as they are, telling what changed, and writing them safely; nothing here puts a memory."""
