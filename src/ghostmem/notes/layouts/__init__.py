"""Layouts of markdown folders: `table` lists them, the other modules read their notes."""
