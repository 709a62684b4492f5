"""Lifecycle rules."""

import json
from dataclasses import fields

import apsw

from ghostmem.rule import SYSTEM, Rule
from ghostmem.times import format_time, read_time

_NAMES = tuple(part.name for part in fields(Rule))
_TIMES = {"created_at", "rule_expires_at"}


class SqliteRules:
    """Rules as rows."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def all(self) -> list[Rule]:
        """List every rule, most urgent first."""
        sql = f"SELECT {', '.join(_NAMES)} FROM reflect_rules ORDER BY priority DESC, id"
        return [_rule(dict(zip(_NAMES, row, strict=True))) for row in self._db.execute(sql)]

    def get(self, rule_id: str) -> Rule | None:
        """Return one rule."""
        row = self._db.execute(f"SELECT {', '.join(_NAMES)} FROM reflect_rules WHERE id = ?", (rule_id,)).fetchone()
        return None if row is None else _rule(dict(zip(_NAMES, row, strict=True)))

    def put(self, rule: Rule) -> bool:
        """Add a rule, or put it in the place of a built-in one; False when its id is taken otherwise."""
        known = self.get(rule.id)
        if known is not None and (known.created_by != SYSTEM or rule.created_by == SYSTEM):
            return False
        self.replace(rule)
        return True

    def replace(self, rule: Rule) -> None:
        """Write a rule, whatever its id held before."""
        marks = ", ".join("?" * len(_NAMES))
        row = [_column(rule, name) for name in _NAMES]
        self._db.execute(f"INSERT OR REPLACE INTO reflect_rules ({', '.join(_NAMES)}) VALUES ({marks})", row)

    def delete(self, rule_id: str) -> bool:
        """Delete a rule; False when there is none."""
        self._db.execute("DELETE FROM reflect_rules WHERE id = ?", (rule_id,))
        return self._db.changes() > 0


def _column(rule: Rule, name: str) -> str | int | float | None:
    value = getattr(rule, name)
    if name in _TIMES and value is not None:
        return format_time(value)
    if name == "action_params":
        return json.dumps(dict(value), ensure_ascii=False, sort_keys=True) if value else None
    return value  # type: ignore[no-any-return]


def _rule(row: dict[str, object]) -> Rule:
    for name in _TIMES:
        row[name] = read_time(str(row[name])) if row[name] else None
    row["action_params"] = json.loads(str(row["action_params"])) if row["action_params"] else {}
    return Rule(**row)  # type: ignore[arg-type]
