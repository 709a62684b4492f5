"""Folders that a namespace is kept equal with, and what both sides said when they last agreed."""

from typing import NamedTuple


class Mirror(NamedTuple):
    """A namespace and a markdown folder that are kept equal.

    `layout` says how the folder holds memories.
    """

    id: int
    root: str
    layout: str
    ns: str


class Item(NamedTuple):
    """What both sides agreed on for a key: the file it is in, a hash of the text, the tags, and its
    summary in the index.
    """

    key: str
    path: str
    hash: str
    tags: frozenset[str] = frozenset()
    about: str = ""
