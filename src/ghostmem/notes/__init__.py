"""Markdown folders: reading them as they are, telling what changed, and writing them safely.

Nothing here puts a memory.
"""
