"""Rows of any table as they are, to move a store; see `ghostmem.store.tables`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from ghostmem.store.copy import Copy
from ghostmem.store.database import Part
from ghostmem.store.sqlite.checksums import checksum
from ghostmem.store.sqlite.database import SqliteDb
from ghostmem.store.sqlite.index import namespaced
from ghostmem.store.sqlite.journal import LineCount
from ghostmem.store.tables import BY_NAME, COUNTED, Key, Row, Table, folded, indexed

_NUMBERED = ("chunks", "note_folders", "mirrors")  # tables with AUTOINCREMENT


class SqliteCopy(Copy):
    """Rows of one transaction, by table and namespace, in the order of their keys."""

    _db: SqliteDb

    def __init__(self, db: SqliteDb, lines: LineCount | None) -> None:
        super().__init__(db)
        if lines is not None:
            lines.forget()
        self._ids = ""  # the namespace of the temporary table of ids

    def namespaces(self) -> list[str]:
        """Return every namespace that has rows."""
        sql = (
            "SELECT name FROM namespaces UNION SELECT ns FROM memories UNION SELECT ns "
            "FROM quarantine UNION SELECT ns FROM source_aliases UNION SELECT ns FROM audit"
            " UNION SELECT f.ns FROM notes n JOIN note_folders f ON f.id = n.folder_id UNION"
            " SELECT '#' || ns_id FROM changes WHERE ns_id NOT IN (SELECT id FROM namespaces)"
        )
        return sorted(name for (name,) in self._db.execute(sql))

    def counts(self, table: Table) -> dict[str, int]:
        """Return the number of rows by namespace.

        Rows of a table of the whole store are counted under an empty name."""
        name, first = table.name, table.key[0]
        match table.via:
            case "":
                sql = f"SELECT '', count(*) FROM {name} HAVING count(*) > 0"
            case "name":
                sql = "SELECT name, 1 FROM namespaces"
            case "ns":
                sql = f"SELECT ns, count(*) FROM {name} GROUP BY ns"
            case "number":
                sql = (
                    "SELECT coalesce(n.name, '#' || t.ns_id), t.c FROM (SELECT ns_id, "
                    f"count(*) c FROM {name} GROUP BY ns_id) t"
                    " LEFT JOIN namespaces n ON n.id = t.ns_id"
                )
            case "folder":
                sql = (
                    f"SELECT f.ns, count(*) FROM {name} t JOIN note_folders f ON f.id = "
                    "t.folder_id GROUP BY f.ns"
                )
            case _:
                sql = (
                    f"SELECT m.ns, count(*) FROM {name} t JOIN memories m ON m.id = "
                    f"t.{first} GROUP BY m.ns"
                )
        return dict(self._db.execute(sql))

    def rows(
        self,
        table: Table,
        ns: str,
        after: Key | None = None,
        upto: Key | None = None,
        limit: int = -1,
    ) -> list[Row]:
        """Return rows after a key, up to another one, in order."""
        if table.name == "vectors":
            return self._vectors(ns, after, upto, limit)
        source, where, values = self._belongs(table, ns)
        first = "w.id" if table.via == "memory" else f"t.{table.key[0]}"
        keys = ", ".join(f"t.{name}" for name in table.key)
        marks = ", ".join("?" * len(table.key))
        if after is not None:
            where.append(f"{first} >= ? AND ({keys}) > ({marks})")
            values += [after[0], *after]
        if upto is not None:
            where.append(f"{first} <= ? AND ({keys}) <= ({marks})")
            values += [upto[0], *upto]
        order = ", ".join([first, *(f"t.{name}" for name in table.key[1:])])
        columns = ", ".join(f"t.{name}" for name in table.columns)
        sql = (
            f"SELECT {columns} FROM {source} WHERE {' AND '.join(where) or 'true'} ORDER "
            f"BY {order} LIMIT ?"
        )
        return list(self._db.execute(sql, [*values, limit]))

    def _vectors(self, ns: str, after: Key | None, upto: Key | None, limit: int) -> list[Row]:
        """Read vectors by model, which the key of the table finds directly."""
        number, rows = self._number(ns), list[Row]()
        for (model,) in self._db.execute("SELECT id FROM models ORDER BY id").fetchall():
            if (after and model < after[0]) or (upto and model > upto[0]):
                continue
            low = after[1] if after and after[0] == model else -1
            high = upto[1] if upto and upto[0] == model else 1 << 62
            sql = (
                "SELECT model_id, chunk_id, vector FROM vectors WHERE model_id = ? AND ns_id = ?"
                " AND chunk_id > ? AND chunk_id <= ? ORDER BY chunk_id LIMIT ?"
            )
            remaining = limit - len(rows) if limit >= 0 else -1
            rows += list(self._db.execute(sql, (model, number, low, high, remaining)))
        return rows

    def write(self, table: Table, ns: str, rows: Sequence[Row]) -> None:
        """Write rows, replacing those with the same keys."""
        if table.name == "memories":
            self._ids = ""
        if table.name == "chunks":
            self._write_chunks(ns, rows)
            return
        extra, conflict = self._place(table, ns)
        columns = (*table.columns, *extra)
        changed = [name for name in columns if name not in (*table.key, *conflict)]
        marks = ", ".join("?" * len(columns))
        sets = ", ".join(f"{name} = excluded.{name}" for name in changed)
        sql = (
            f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({marks})"
            f" ON CONFLICT ({', '.join(conflict)}) DO {f'UPDATE SET {sets}' if sets else 'NOTHING'}"
        )
        if table.via == "name":
            self._db.executemany(sql, [(*row, ns, f"{row[0]}q") for row in rows])
        else:
            self._db.executemany(sql, [(*row, *extra.values()) for row in rows])
        if table.name == "memories":
            content, id_ = table.at("content"), table.at("id")
            checksums = [(checksum(row[content]), row[id_]) for row in rows]
            self._db.executemany("UPDATE memories SET checksum = ? WHERE id = ?", checksums)

    def _place(self, table: Table, ns: str) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return the columns with the namespace, and the unique key of a row in SQLite."""
        match table.via:
            case "name":
                return {"name": ns, "token": ""}, table.key
            case "ns":
                return {"ns": ns}, self._sql.key(table)
            case "number" if table.name != "changes":
                return {"ns_id": self._number(ns)}, ("ns_id", *table.key)
            case "number":
                return {}, ("ns_id", *table.key)
            case "memory" if table.name == "memories":
                return {"ns": ns}, table.key
        return {}, table.key

    def _write_chunks(self, ns: str, rows: Sequence[Row]) -> None:
        """Write chunks, and rebuild their full text and substrings."""
        table, number = BY_NAME["chunks"], self._number(ns)
        marks = ", ".join("?" * (len(table.columns) + 1))
        sql = f"INSERT INTO chunks ({', '.join(table.columns)}, ns_id) VALUES ({marks})"
        texts = self._texts(ns, {row[1] for row in rows})
        self._db.executemany(sql, [(*row, number) for row in rows])
        tokens = [(row[0], namespaced(number, indexed(row[7]))) for row in rows]
        self._db.executemany("INSERT INTO chunks_fts (rowid, text) VALUES (?, ?)", tokens)
        plain = [(row[0], folded(*texts[row[1]], row[2], row[3], row[4])) for row in rows]
        self._db.executemany("INSERT INTO chunks_tri (rowid, text) VALUES (?, ?)", plain)

    def drop(self, table: Table, ns: str, keys: Sequence[Key]) -> None:
        """Delete rows by their keys, with everything that depends on them."""
        self._ids = "" if table.name == "memories" else self._ids
        owner: dict[str, Any] = {"ns_id": self._number(ns)} if table.via == "number" else {}
        owner |= {"ns": ns} if table.unique_in_ns else {}
        where = " AND ".join(f"{name} = ?" for name in (*table.key, *owner))
        if table.name in ("chunks", "memories"):
            sql = (
                "SELECT id FROM chunks WHERE "
                f"{where if table.name == 'chunks' else 'memory_id = ?'}"
            )
            self._unindex(number for key in keys for (number,) in self._db.execute(sql, key))
        self._db.executemany(
            f"DELETE FROM {table.name} WHERE {where}", [(*key, *owner.values()) for key in keys]
        )

    def drop_of(self, table: Table, ns: str, ids: Sequence[str]) -> None:
        """Delete the rows that name one of some memories."""
        self._ids = "" if table.name == "memories" else self._ids
        if table.name == "chunks":
            where, values = self._naming(table, ns, ids)
            rows = self._db.rows(f"SELECT id FROM chunks WHERE {where}", values)
            self._unindex(number for (number,) in rows)
        super().drop_of(table, ns, ids)

    def _unindex(self, numbers: Iterable[int]) -> None:
        gone = [(number,) for number in list(numbers)]
        for index in ("chunks_fts", "chunks_tri"):
            self._db.executemany(f"DELETE FROM {index} WHERE rowid = ?", gone)

    def mark(self, table: Table, ns: str) -> tuple[int, int]:
        """Return the number of rows of a logged table in a namespace, and the sum of their ids."""
        if table.name == "chunks":
            self._know(ns)
            sql = (
                "SELECT count(*), coalesce(sum(t.id), 0) FROM temp.copy_ids w CROSS JOIN "
                "chunks t ON t.memory_id = w.id"
            )
            return cast("tuple[int, int]", self._db.execute(sql).fetchone())
        column = "chunk_id" if table.name == "vectors" else "seq"
        models = "model_id IN (SELECT id FROM models) AND " if table.name == "vectors" else ""
        sql = (
            f"SELECT count(*), coalesce(sum({column}), 0) FROM {table.name} WHERE {models}ns_id = ?"
        )
        return cast("tuple[int, int]", self._db.execute(sql, (self._number(ns),)).fetchone())

    def crossing(self) -> dict[str, int]:
        """Return the numbers of rows by table that join memories of two namespaces."""
        counts = {}
        for name in ("memory_edges", "memory_links", "inferences"):
            sql = (
                f"SELECT count(*) FROM {name} e JOIN memories a ON a.id = e.from_id JOIN "
                "memories b ON b.id = e.to_id"
            )
            counts[name] = self._db.execute(f"{sql} WHERE a.ns <> b.ns").get
        return {name: count for name, count in counts.items() if count}

    def counters(self) -> dict[str, int]:
        """Return the highest number that each numbered table ever gave, as far as known."""
        found: dict[str, int] = {
            name: self._db.execute(f"SELECT coalesce(max(id), 0) FROM {name}").get
            for name in COUNTED
        }
        for name, last in self._db.execute("SELECT name, seq FROM sqlite_sequence"):
            if name in found:
                found[name] = max(found[name], last)
        return found

    def count_from(self, counters: Mapping[str, int]) -> None:
        """Continue the numbers of another engine."""
        for name in _NUMBERED:
            if counters.get(name):
                self._db.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
                self._db.execute(
                    "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, counters[name])
                )

    def _belongs(self, table: Table, ns: str) -> tuple[str, list[str], list[Any]]:
        """Return where the rows of a namespace are found."""
        name = table.name
        match table.via:
            case "":
                return f"{name} t", [], []
            case "name":
                return f"{name} t", ["t.name = ?"], [ns]
            case "ns":
                return f"{name} t", ["t.ns = ?"], [ns]
            case "number":
                return f"{name} t", ["t.ns_id = ?"], [self._number(ns)]
            case "folder":
                return (
                    f"{name} t",
                    ["t.folder_id IN (SELECT id FROM note_folders WHERE ns = ?)"],
                    [ns],
                )
        self._know(ns)
        return f"temp.copy_ids w CROSS JOIN {name} t ON t.{table.key[0]} = w.id", [], []

    def _know(self, ns: str) -> None:
        """Keep the ids of a namespace's memories in a temporary table, for repeated use."""
        if self._ids == ns and ns:
            return
        self._db.execute(
            "DROP TABLE IF EXISTS temp.copy_ids; CREATE TEMP TABLE copy_ids (id TEXT "
            "PRIMARY KEY NOT NULL) WITHOUT ROWID"
        )
        self._db.execute("INSERT INTO temp.copy_ids SELECT id FROM memories WHERE ns = ?", (ns,))
        self._ids = ns

    def _log_of(self, ns: str) -> Part:
        """Return the condition that a change is of a namespace, which may have no name any more."""
        return "c.ns_id = ?", [self._number(ns)]

    def _number(self, ns: str) -> int:
        number: int | None = self._db.execute("SELECT id FROM namespaces WHERE name = ?", (ns,)).get
        return int(ns[1:]) if number is None and ns[:1] == "#" and ns[1:].isdigit() else number or 0
