"""Readers of the files of other memory tools, one module per format; `choose` has the table."""
