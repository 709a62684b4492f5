"""The languages, one module each, behind one protocol."""
