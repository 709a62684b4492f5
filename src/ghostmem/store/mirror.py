"""Mirrors of namespaces in folders, and the state both sides last agreed on."""

from datetime import datetime
from typing import NamedTuple

from ghostmem.clock import format_time
from ghostmem.store.database import StoreTable
from ghostmem.store.records import RowType


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


_MIRROR = RowType("mirrors", Mirror)
_ITEM = RowType("mirror_items", MirrorItem)


class Mirrors(StoreTable):
    """The mirrors of all namespaces."""

    def all(self) -> list[Mirror]:
        """Return every mirror, the oldest first."""
        return _MIRROR.select(self._db, "ORDER BY id")

    def add(self, root: str, layout: str, ns: str, at: datetime) -> Mirror:
        """Add a mirror, or return the one that the folder has."""
        sql = self._sql.insert("mirrors", ("root", "layout", "ns", "added_at"))
        self._db.run(sql, (root, layout, ns, format_time(at)))
        return _MIRROR.select(self._db, "WHERE root = ?", (root,))[0]

    def drop(self, mirror_id: int) -> None:
        """Delete a mirror and the agreed state of its keys."""
        self._db.run("DELETE FROM mirrors WHERE id = ?", (mirror_id,))

    def items(self, mirror_id: int) -> dict[str, MirrorItem]:
        """Return the agreed state by key."""
        items = _ITEM.select(self._db, "WHERE mirror_id = ? ORDER BY key", (mirror_id,))
        return {item.key: item for item in items}

    def item(self, mirror_id: int, key: str) -> MirrorItem | None:
        """Return the agreed state of a key."""
        items = _ITEM.select(self._db, "WHERE mirror_id = ? AND key = ?", (mirror_id, key))
        return next(iter(items), None)

    def put_item(self, mirror_id: int, item: MirrorItem) -> None:
        """Write the agreed state of a key."""
        sql = self._sql.insert("mirror_items", ("mirror_id", *_ITEM.names), replace=True)
        self._db.run(sql, (mirror_id, *_ITEM.write(item)))

    def drop_item(self, mirror_id: int, key: str) -> None:
        """Delete a key that neither side has any more."""
        self._db.run("DELETE FROM mirror_items WHERE mirror_id = ? AND key = ?", (mirror_id, key))
