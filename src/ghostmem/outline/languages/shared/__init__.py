"""What several languages share: walks over syntax, tables of expressions, and the gathering of a
graph.
"""
