"""Mirrors of namespaces in folders, and the state both sides last agreed on."""

from typing import NamedTuple


class Mirror(NamedTuple):
    """A namespace and a markdown folder that are kept equal.

    `layout` names the format of the folder."""

    id: int
    root: str
    layout: str
    ns: str


class MirrorItem(NamedTuple):
    """The agreed state of a key: its file, hash of the text, tags, and summary in the index."""

    key: str
    path: str
    hash: str
    tags: frozenset[str] = frozenset()
    about: str = ""
