"""Lifecycle rules."""

from ghostmem.model import SYSTEM, Rule
from ghostmem.store.database import StoreTable
from ghostmem.store.records import RowType

_RULE = RowType("reflect_rules", Rule)
_SELECT = f"SELECT {_RULE.columns} FROM reflect_rules"


class RuleTable(StoreTable):
    """Lifecycle rules as data."""

    def all(self) -> list[Rule]:
        """List every rule, highest priority first."""
        return [_RULE.read(row) for row in self._db.rows(f"{_SELECT} ORDER BY priority DESC, id")]

    def get(self, rule_id: str) -> Rule | None:
        """Return one rule."""
        row = self._db.row(f"{_SELECT} WHERE id = ?", (rule_id,))
        return None if row is None else _RULE.read(row)

    def put(self, rule: Rule) -> bool:
        """Add a rule, or replace a built-in one by a user's; return False when its id is taken."""
        known = self.get(rule.id)
        if known is not None and (known.created_by != SYSTEM or rule.created_by == SYSTEM):
            return False
        self.replace(rule)
        return True

    def replace(self, rule: Rule) -> None:
        """Write a rule, whatever its id held before."""
        sql = self._sql.insert("reflect_rules", _RULE.names, replace=True)
        self._db.run(sql, _RULE.write(rule))

    def delete(self, rule_id: str) -> bool:
        """Delete a rule; return False when there is none."""
        return self._db.run("DELETE FROM reflect_rules WHERE id = ?", (rule_id,)) > 0
