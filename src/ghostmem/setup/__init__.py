"""Writing Ghost into the files of other programs, and out of them again."""
