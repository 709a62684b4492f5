"""PostgreSQL's dialect."""

from collections.abc import Iterable
from typing import Any

from ghostmem.store.database import Dialect, Part
from ghostmem.store.postgres.schema import CHUNK_WORDS
from ghostmem.store.tables import Table


class PostgresDialect(Dialect):
    """The SQL that only PostgreSQL understands; `??` is its operator `?`."""

    name = "postgresql"
    among = "= ANY(?)"
    in_ns = "ns = ? AND "
    ns_name = ns_value = "ns"
    of_ns = "c.ns = ?"
    given_memories = "unnest(?::text[]) AS j (value) JOIN memories m ON m.id = j.value"
    in_space = "ns = ?"
    chunk_text = "substr(m.content, (c.start + 1)::int, (c.stop - c.start)::int)"
    like, any_text, position = "LIKE", "%", "strpos"
    ordered_join = "JOIN"
    unindexed = ""
    greatest, least = "greatest", "least"
    is_moving = "SELECT to_regclass('moving') IS NOT NULL"
    fill_words = f"INSERT INTO words (ns, word) {CHUNK_WORDS}"
    no_limit = None
    note_path = "digest = md5(?)"
    path, root = "x.digest = md5(?)", "md5(x.root) = md5(?)"
    tag_name = 't.value COLLATE "C"'
    tag_values = "jsonb_array_elements_text(m.tags::jsonb) t(value)"
    any_tag = "m.tags::jsonb ??| ?"
    tagged = "m.tags::jsonb ?? ?"

    def array(self, values: Iterable[Any]) -> list[Any]:
        """Return several values as a list, which is bound as an array."""
        return list(values)

    def same_ns(self, left: str, right: str) -> str:
        """Return the condition that two rows are of one namespace."""
        return f"{left}.ns = {right}.ns AND "

    def starts(self, column: str, prefix: str) -> Part:
        """Return the condition that a column starts with a text."""
        return f"starts_with({column}, ?)", [prefix]

    def about(self, table: str, *conditions: str) -> str:
        """Return the condition that `m` has a row `x` in a table that passes some conditions."""
        where = " AND ".join(("x.ns = m.ns", "x.memory_id = m.id", *conditions))
        return f"EXISTS (SELECT 1 FROM {table} x WHERE {where})"

    def key(self, table: Table) -> tuple[str, ...]:
        """Return the columns that are unique in a table, for ON CONFLICT."""
        return ("ns", *(table.unique or table.key)) if table.owned else table.key


DIALECT = PostgresDialect()
