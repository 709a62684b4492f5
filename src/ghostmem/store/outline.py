"""The cache of the code outline: files of projects, their facts, and the graph of each project."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ghostmem.model import Stat
from ghostmem.store.database import StoreTable

Rows = Iterable[Sequence[Any]]
NODE_COLUMNS = (
    "number, name, kind, origin, line, end_line, start, id, signature, imported_from, full_name, "
    "body"
)


class GraphRows(NamedTuple):
    """The graph of a project as rows, whose first column, the project, is added by the store.

    Nodes have `NODE_COLUMNS` and `alone`."""

    nodes: Rows
    links: Rows  # source, kind, target, line, via
    unresolved: Rows  # number, owner, kind, text, line, name, candidates


class OutlineTables(StoreTable):
    """The tables of the code outline; all of it can be rebuilt from the sources."""

    def files(self, root: str, language: str) -> dict[str, tuple[Stat, int, str]]:
        """Return the files of a project as last seen: status, time, and hash."""
        rows = self._db.rows(
            "SELECT x.path, x.size, x.mtime_ns, x.inode, x.seen_ns, x.hash FROM outline_files x "
            f"WHERE {self._sql.root} AND x.language = ?",
            (root, language),
        )
        return {row[0]: (Stat(row[1], row[2], int(row[3])), row[4], row[5]) for row in rows}

    def put_files(
        self,
        root: str,
        language: str,
        files: Mapping[str, tuple[Stat, int, str]],
        gone: Iterable[str],
    ) -> None:
        """Store the state of files, and delete those that are gone."""
        self._db.run(
            f"DELETE FROM outline_files AS x WHERE {self._sql.root} AND x.language = ? "
            f"AND x.path {self._sql.among}",
            (root, language, self._sql.array(sorted({*files, *gone}))),
        )
        self._db.run_many(
            "INSERT INTO outline_files (root, language, path, size, mtime_ns, inode, seen_ns, hash)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [
                (root, language, path, *stat, seen, digest)
                for path, (stat, seen, digest) in sorted(files.items())
            ],
        )

    def facts(self, hashes: Iterable[str], maker: str) -> Iterable[tuple[str, bytes]]:
        """Return the cached facts of contents that one extractor produced."""
        return self._db.iterate(
            f"SELECT hash, facts FROM outline_facts WHERE hash {self._sql.among} AND maker = ?",
            (self._sql.array(hashes), maker),
        )

    def put_facts(self, facts: Mapping[str, bytes], maker: str) -> None:
        """Store facts by hash, replacing those of older extractors of the language.

        The name of an extractor (`maker`) begins with its language."""
        by_maker, values = self._sql.starts("maker", f"{maker.partition(' ')[0]} ")
        self._db.run(
            f"DELETE FROM outline_facts WHERE hash {self._sql.among} AND {by_maker}",
            (self._sql.array(facts), *values),
        )
        self._db.run_many(
            "INSERT INTO outline_facts (hash, maker, facts) VALUES (?, ?, ?) "
            "ON CONFLICT DO NOTHING",
            [(digest, maker, packed) for digest, packed in sorted(facts.items())],
        )

    def graph(self, root: str, language: str) -> tuple[int, str, str] | None:
        """Return the number of a project, the version of its graph, and other data about it."""
        row = self._db.row(
            "SELECT x.id, x.version, x.details FROM outline_graphs x "
            f"WHERE {self._sql.root} AND x.language = ?",
            (root, language),
        )
        return None if row is None else (row[0], row[1], row[2])

    def put_graph(
        self, root: str, language: str, version: str, details: str, rows: GraphRows
    ) -> None:
        """Store the graph of a project, replacing an older one."""
        self._db.run(
            "INSERT INTO outline_graphs (root, language, version, details) VALUES (?, ?, '', '') "
            "ON CONFLICT DO NOTHING",
            (root, language),
        )
        project = (self.graph(root, language) or (0,))[0]
        # this locks the row, so that only one process at a time replaces a graph
        self._db.run(
            "UPDATE outline_graphs SET version = ?, details = ? WHERE id = ?",
            (version, details, project),
        )
        self._delete_rows(project)
        self._insert("outline_nodes", project, f"{NODE_COLUMNS}, alone", rows.nodes)
        self._insert("outline_links", project, "source, kind, target, line, via", rows.links)
        self._insert(
            "outline_unresolved",
            project,
            "number, owner, kind, text, line, name, candidates",
            rows.unresolved,
        )

    def _delete_rows(self, project: int) -> None:
        for table in ("outline_nodes", "outline_links", "outline_unresolved"):
            self._db.run(f"DELETE FROM {table} WHERE project = ?", (project,))

    def _insert(self, table: str, project: int, columns: str, rows: Rows) -> None:
        marks = "?, " * columns.count(",") + "?"
        self._db.run_many(
            f"INSERT INTO {table} (project, {columns}) VALUES ({project:d}, {marks})", rows
        )

    def nodes(self, project: int, numbers: Iterable[int]) -> list[Any]:
        """Return nodes by their numbers."""
        return self._nodes(project, f"number {self._sql.among}", self._sql.array(numbers))

    def nodes_like(self, project: int, names: Iterable[str], bodies: Iterable[str]) -> list[Any]:
        """Return the nodes with one of some names, or one of some hashes of their text, in order.

        The table has no index for this; many names are looked for in one pass."""
        among, array = self._sql.among, self._sql.array
        return self._nodes(
            project,
            f"(name {among} OR body {among}) ORDER BY number",
            array(names),
            array(bodies),
        )

    def _nodes(self, project: int, condition: str, *values: Any) -> list[Any]:
        return self._db.rows(
            f"SELECT {NODE_COLUMNS} FROM outline_nodes WHERE project = ? AND {condition}",
            (project, *values),
        )

    def names(self, project: int) -> list[str]:
        """Return the names of the symbols of a project."""
        return self._column(
            "SELECT DISTINCT name FROM outline_nodes "
            "WHERE project = ? AND origin = 'project' AND kind <> 'file'",
            (project,),
        )

    def containing(self, project: int, part: str) -> list[int]:
        """Return the numbers of the nodes with a part in their name or full name, in order."""
        return self._column(
            "SELECT number FROM outline_nodes WHERE project = ? AND "
            f"({self._sql.position}(name, ?) > 0 OR {self._sql.position}(full_name, ?) > 0) "
            "ORDER BY number",
            (project, part, part),
        )

    def alone(self, project: int, first: int, stop: int) -> list[int]:
        """Return the numbers in a range of the nodes that are shown on their own, in order."""
        return self._column(
            "SELECT number FROM outline_nodes WHERE project = ? AND alone = 1 "
            "AND number >= ? AND number < ? ORDER BY number",
            (project, first, stop),
        )

    def links(self, project: int, numbers: Iterable[int]) -> list[tuple[int, int, int, int, int]]:
        """Return the links that leave or reach some nodes, in the order of their sources."""
        columns = "SELECT source, kind, target, line, via FROM outline_links WHERE"
        wanted = self._sql.array(numbers)
        return self._db.rows(
            f"{columns} project = ? AND source {self._sql.among} UNION "
            f"{columns} {self._sql.unindexed}project = ? AND target {self._sql.among} "
            "ORDER BY 1, 2, 3",
            (project, wanted, project, wanted),
        )

    def unresolved(self, project: int, owners: Iterable[int]) -> list[Any]:
        """Return owner, kind, text, line, name and candidates of unresolved references, in order.

        They are those of some nodes."""
        return self._db.rows(
            "SELECT owner, kind, text, line, name, candidates FROM outline_unresolved "
            f"WHERE project = ? AND owner {self._sql.among} ORDER BY number",
            (project, self._sql.array(owners)),
        )

    def unresolved_named(self, project: int, name: str) -> list[tuple[str, int]]:
        """Return kind and owner of the unresolved references to a name."""
        return self._db.rows(
            "SELECT kind, owner FROM outline_unresolved "
            f"WHERE {self._sql.unindexed}project = ? AND name = ?",
            (project, name),
        )

    def prune(self) -> None:
        """Delete projects whose folder is gone, and facts and graphs that no file needs."""
        for (root,) in self._db.rows("SELECT DISTINCT root FROM outline_files"):
            if self._is_gone(root):
                self._db.run("DELETE FROM outline_files WHERE root = ?", (root,))
        self._db.run(
            "DELETE FROM outline_facts WHERE NOT EXISTS"
            " (SELECT 1 FROM outline_files f WHERE f.hash = outline_facts.hash)"
        )
        for (project,) in self._db.rows(
            "SELECT id FROM outline_graphs g WHERE NOT EXISTS"
            " (SELECT 1 FROM outline_files f WHERE f.root = g.root AND f.language = g.language)"
        ):
            self._delete_rows(project)
            self._db.run("DELETE FROM outline_graphs WHERE id = ?", (project,))

    def _is_gone(self, root: str) -> bool:
        return not os.path.isdir(root)
