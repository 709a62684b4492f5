"""Lifecycle rules."""

import apsw

from ghostmem.model import Rule
from ghostmem.store.records import gives_way, rule_names, rule_of, rule_row

_NAMES = rule_names()


class SqliteRules:
    """Rules as rows."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def all(self) -> list[Rule]:
        """List every rule, most urgent first."""
        sql = f"SELECT {', '.join(_NAMES)} FROM reflect_rules ORDER BY priority DESC, id"
        return [rule_of(row) for row in self._db.execute(sql)]

    def get(self, rule_id: str) -> Rule | None:
        """Return one rule."""
        row = self._db.execute(
            f"SELECT {', '.join(_NAMES)} FROM reflect_rules WHERE id = ?", (rule_id,)
        ).fetchone()
        return None if row is None else rule_of(row)

    def put(self, rule: Rule) -> bool:
        """Add a rule, or put it in the place of a built-in one.

        False when its id is taken otherwise.
        """
        if not gives_way(self.get(rule.id), rule):
            return False
        self.replace(rule)
        return True

    def replace(self, rule: Rule) -> None:
        """Write a rule, whatever its id held before."""
        marks = ", ".join("?" * len(_NAMES))
        self._db.execute(
            f"INSERT OR REPLACE INTO reflect_rules ({', '.join(_NAMES)}) VALUES ({marks})",
            rule_row(rule),
        )

    def delete(self, rule_id: str) -> bool:
        """Delete a rule; False when there is none."""
        self._db.execute("DELETE FROM reflect_rules WHERE id = ?", (rule_id,))
        return self._db.changes() > 0
