"""JavaScript and TypeScript: a walk that keeps expressions as rows, and the types that the linker
infers from them.
"""
