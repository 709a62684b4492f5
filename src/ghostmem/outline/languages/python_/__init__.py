"""Python, in parts: the facts of a file, and the meaning of its names among all files."""
