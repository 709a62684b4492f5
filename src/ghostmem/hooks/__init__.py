"""Hooks: what agent hosts call at moments of a session.

They add memories, capture what was said, and never get in the way.
"""
