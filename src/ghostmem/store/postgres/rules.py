"""Lifecycle rules."""

from ghostmem.model import Rule
from ghostmem.store.postgres.connect import Db
from ghostmem.store.records import gives_way, rule_names, rule_of, rule_row

_NAMES = rule_names()
_SELECT = f"SELECT {', '.join(_NAMES)} FROM reflect_rules"


class PostgresRules:
    """Rules as rows."""

    def __init__(self, db: Db) -> None:
        self._db = db

    def all(self) -> list[Rule]:
        """List every rule, most urgent first."""
        return [rule_of(row) for row in self._db.rows(f"{_SELECT} ORDER BY priority DESC, id")]

    def get(self, rule_id: str) -> Rule | None:
        """Return one rule."""
        row = self._db.row(f"{_SELECT} WHERE id = %s", (rule_id,))
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
        marks, sets = (
            ", ".join(["%s"] * len(_NAMES)),
            ", ".join(f"{name} = excluded.{name}" for name in _NAMES),
        )
        sql = (
            f"INSERT INTO reflect_rules ({', '.join(_NAMES)}) VALUES ({marks}) ON "
            f"CONFLICT (id) DO UPDATE SET {sets}"
        )
        self._db.run(sql, rule_row(rule))

    def delete(self, rule_id: str) -> bool:
        """Delete a rule; False when there is none."""
        return self._db.run("DELETE FROM reflect_rules WHERE id = %s", (rule_id,)) > 0
