"""Mirrors: which namespace is kept equal with which folder, and what both said when they last
agreed.
"""

from datetime import datetime

import apsw

from ghostmem.clock import format_time
from ghostmem.store.mirror import Item, Mirror
from ghostmem.store.records import ITEM, item_of, item_row

_ITEM = f"SELECT {ITEM} FROM mirror_items WHERE mirror_id = ?"


class SqliteMirrors:
    """The mirrors of all namespaces."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def all(self) -> list[Mirror]:
        """Return every mirror, the oldest first."""
        return [
            Mirror(*row)
            for row in self._db.execute("SELECT id, root, layout, ns FROM mirrors ORDER BY id")
        ]

    def add(self, root: str, layout: str, ns: str, at: datetime) -> Mirror:
        """Write down a mirror, or return the one that the folder has."""
        self._db.execute(
            "INSERT OR IGNORE INTO mirrors (root, layout, ns, added_at) VALUES (?, ?, ?, ?)",
            (root, layout, ns, format_time(at)),
        )
        return next(one for one in self.all() if one.root == root)

    def items(self, mirror_id: int) -> dict[str, Item]:
        """Return what was agreed on, by key."""
        return {row[0]: item_of(row) for row in self._db.execute(_ITEM, (mirror_id,))}

    def item(self, mirror_id: int, key: str) -> Item | None:
        """Return what was agreed on for a key."""
        row = self._db.execute(f"{_ITEM} AND key = ?", (mirror_id, key)).fetchone()
        return None if row is None else item_of(row)

    def put_item(self, mirror_id: int, item: Item) -> None:
        """Write down what is agreed on now."""
        sql = f"INSERT OR REPLACE INTO mirror_items (mirror_id, {ITEM}) VALUES (?, ?, ?, ?, ?, ?)"
        self._db.execute(sql, (mirror_id, *item_row(item)))

    def drop_item(self, mirror_id: int, key: str) -> None:
        """Forget a key that neither side has any more."""
        self._db.execute(
            "DELETE FROM mirror_items WHERE mirror_id = ? AND key = ?", (mirror_id, key)
        )
