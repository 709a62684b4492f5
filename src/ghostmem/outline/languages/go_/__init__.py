"""Go: lowering to a small tree, types, and the walk that resolves; see lowering.py for the tree."""
