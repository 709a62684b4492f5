"""Python, in parts: what a file says, and what its names mean among all files."""
