"""The cache of code outlines in PostgreSQL, by the hash of file contents."""

from collections.abc import Iterable, Iterator, Mapping

from ghostmem.model import Stat
from ghostmem.store.postgres.database import Db

_GRAPH = "graph {language} {root}"  # in the place of a hash
_BATCH = 500  # files, or facts of files, in one statement
_DIGEST = "md5(? || chr(31) || ?)"  # of a hash and its maker, as the column of outline_facts has it


class PostgresOutline:
    """The cache of the code outline.

    A shared store holds the projects of several machines, under their roots there."""

    def __init__(self, db: Db) -> None:
        self._db = db

    def files(self, root: str, language: str) -> dict[str, tuple[Stat, int, str]]:
        """Return the files of a project as last seen: status, time, and hash."""
        rows = self._db.rows(
            "SELECT path, size, mtime_ns, inode, seen_ns, hash FROM outline_files"
            " WHERE md5(root) = md5(?) AND root = ? AND language = ? ORDER BY path",
            (root, root, language),
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
        sql = (
            "INSERT INTO outline_files (root, language, path, size, mtime_ns, inode, "
            "seen_ns, hash) SELECT ?, ?, given.* FROM"
            " unnest(?::text[], ?::bigint[], ?::bigint[], ?::numeric[], ?::bigint[], "
            "?::text[]) AS given"
            " ON CONFLICT (digest) DO UPDATE SET size = excluded.size, mtime_ns = "
            "excluded.mtime_ns, inode = excluded.inode,"
            " seen_ns = excluded.seen_ns, hash = excluded.hash"
        )
        rows = [(path, *stat, seen, known) for path, (stat, seen, known) in sorted(files.items())]
        for start in range(0, len(rows), _BATCH):
            self._db.run(
                sql, (root, language, *map(list, zip(*rows[start : start + _BATCH], strict=True)))
            )
        if lost := list(gone):
            self._db.run(
                "DELETE FROM outline_files WHERE digest IN"
                " (SELECT md5(? || chr(31) || ? || chr(31) || path) FROM "
                "unnest(?::text[]) AS path)",
                (root, language, lost),
            )

    def facts(self, hashes: Iterable[str], maker: str) -> Iterator[tuple[str, bytes]]:
        """Yield the cached facts of contents that one extractor produced."""
        sql = (
            "SELECT hash, facts FROM outline_facts WHERE digest IN"
            f" (SELECT {_DIGEST.replace('?', 'given', 1)} FROM unnest(?::text[]) AS given)"
        )
        wanted = list(hashes)
        for start in range(0, len(wanted), _BATCH):
            yield from self._db.execute(
                sql, (maker, wanted[start : start + _BATCH]), binary=True
            ).rows

    def put_facts(self, facts: Iterable[tuple[str, bytes]], maker: str) -> None:
        """Store facts, replacing those of older extractors of the language.

        The name of an extractor (`maker`) begins with its language."""
        older = (
            "DELETE FROM outline_facts WHERE md5(hash) IN (SELECT md5(given) FROM "
            "unnest(?::text[]) AS given)"
            " AND maker <> ? AND starts_with(maker, ?)"
        )
        fresh = (
            "INSERT INTO outline_facts (hash, maker, facts) SELECT given.hash, ?, given.facts"
            " FROM unnest(?::text[], ?::bytea[]) AS given (hash, facts)"
            " ON CONFLICT (digest) DO UPDATE SET facts = excluded.facts"
        )
        rows = sorted(dict(facts).items())
        for start in range(0, len(rows), _BATCH):
            hashes, packed = map(list, zip(*rows[start : start + _BATCH], strict=True))
            self._db.run(older, (hashes, maker, f"{maker.partition(' ')[0]} "))
            self._db.run(fresh, (maker, hashes, packed))

    def graph(self, root: str, language: str, maker: str) -> bytes | None:
        """Return the cached graph of a project that the same extractor produced."""
        key = _GRAPH.format(language=language, root=root)
        sql = f"SELECT facts FROM outline_facts WHERE digest = {_DIGEST}"
        rows = self._db.rows(sql, (key, maker), binary=True)
        return bytes(rows[0][0]) if rows else None

    def put_graph(self, root: str, language: str, maker: str, packed: bytes) -> None:
        """Store the graph of a project, replacing an older one.

        It is a row of the table of facts."""
        key = _GRAPH.format(language=language, root=root)
        self._db.run("DELETE FROM outline_facts WHERE md5(hash) = md5(?)", (key,))
        self._db.run(
            "INSERT INTO outline_facts (hash, maker, facts) VALUES (?, ?, ?)",
            (key, maker, packed),
        )

    def prune(self) -> int:
        """Delete facts of contents that no file has, and graphs without files.

        A missing folder may be on another machine, so its files stay."""
        return self._db.change(
            "DELETE FROM outline_facts f WHERE NOT EXISTS (SELECT 1 FROM outline_files o "
            "WHERE o.hash = f.hash)"
            " AND NOT EXISTS (SELECT 1 FROM outline_files o WHERE 'graph ' || o.language "
            "|| ' ' || o.root = f.hash)"
        )
