"""Layouts of markdown folders: `table` lists them, `readers` split their notes into sections."""
