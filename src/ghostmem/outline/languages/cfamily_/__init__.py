"""C and C++: the walk over a file, what includes make visible, names, types and the links between
them.
"""
