"""Tools in the shapes that other agents expect, over an open store or a folder of notes."""
