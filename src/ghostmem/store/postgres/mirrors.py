"""Mirrors: which namespace is kept equal with which folder, and what both said when they last
agreed.
"""

from datetime import datetime

from ghostmem.clock import format_time
from ghostmem.store.mirror import Item, Mirror
from ghostmem.store.postgres.connect import Db
from ghostmem.store.records import ITEM, item_of, item_row

_MIRROR = "SELECT id, root, layout, ns FROM mirrors"
_ITEM = f"SELECT {ITEM} FROM mirror_items WHERE mirror_id = %s"


class PostgresMirrors:
    """The mirrors of all namespaces."""

    def __init__(self, db: Db) -> None:
        self._db = db

    def all(self) -> list[Mirror]:
        """Return every mirror, the oldest first."""
        return [Mirror(*row) for row in self._db.rows(f"{_MIRROR} ORDER BY id")]

    def add(self, root: str, layout: str, ns: str, at: datetime) -> Mirror:
        """Write down a mirror, or return the one that the folder has."""
        sql = (
            "INSERT INTO mirrors (root, layout, ns, added_at) VALUES (%s, %s, %s, %s) ON "
            "CONFLICT (root) DO NOTHING"
        )
        self._db.run(sql, (root, layout, ns, format_time(at)))
        return Mirror(*self._db.row(f"{_MIRROR} WHERE root = %s", (root,)))

    def items(self, mirror_id: int) -> dict[str, Item]:
        """Return what was agreed on, by key."""
        return {
            row[0]: item_of(row) for row in self._db.rows(f"{_ITEM} ORDER BY key", (mirror_id,))
        }

    def item(self, mirror_id: int, key: str) -> Item | None:
        """Return what was agreed on for a key."""
        row = self._db.row(f"{_ITEM} AND key = %s", (mirror_id, key))
        return None if row is None else item_of(row)

    def put_item(self, mirror_id: int, item: Item) -> None:
        """Write down what is agreed on now."""
        sql = (
            f"INSERT INTO mirror_items (mirror_id, {ITEM}) VALUES (%s, %s, %s, %s, %s, %s) "
            "ON CONFLICT (mirror_id, key)"
            " DO UPDATE SET path = excluded.path, hash = excluded.hash, tags = "
            "excluded.tags, about = excluded.about"
        )
        self._db.run(sql, (mirror_id, *item_row(item)))

    def drop_item(self, mirror_id: int, key: str) -> None:
        """Forget a key that neither side has any more."""
        self._db.run("DELETE FROM mirror_items WHERE mirror_id = %s AND key = %s", (mirror_id, key))
