"""Code as a graph: what its symbols are and how they relate, with nothing invented."""
