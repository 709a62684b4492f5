"""A namespace as a markdown folder: reading a folder into units, one memory each, and writing units
into it; no store in here.
"""
