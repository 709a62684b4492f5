"""What source files said, by the hash of their content: a cache that may be dropped at any time."""

from collections.abc import Iterable, Iterator, Mapping

from ghostmem.model import Stat
from ghostmem.store.postgres.database import Db

_GRAPH = "graph {language} {root}"  # in the place of a hash
_BATCH = 500  # files, or facts of files, in one statement
_DIGEST = (
    "md5(%s || chr(31) || %s)"  # of a hash and its maker, as the column of outline_facts has it
)


class PostgresOutline:
    """The cache of the code outline.

    A store that machines share holds the projects of all of them, under the roots they have there.
    """

    def __init__(self, db: Db) -> None:
        self._db = db

    def files(self, root: str, language: str) -> dict[str, tuple[Stat, int, str]]:
        """Return the files of a project as they were last seen: stats, when that was, and hash."""
        sql = (
            "SELECT path, size, mtime_ns, inode, seen_ns, hash FROM outline_files"
            " WHERE md5(root) = md5(%s) AND root = %s AND language = %s ORDER BY path"
        )
        rows = self._db.rows(sql, (root, root, language))
        return {row[0]: (Stat(row[1], row[2], int(row[3])), row[4], row[5]) for row in rows}

    def put_files(
        self,
        root: str,
        language: str,
        files: Mapping[str, tuple[Stat, int, str]],
        gone: Iterable[str],
    ) -> None:
        """Write down how files were seen, and forget those that are gone."""
        sql = (
            "INSERT INTO outline_files (root, language, path, size, mtime_ns, inode, "
            "seen_ns, hash) SELECT %s, %s, given.* FROM"
            " unnest(%s::text[], %s::bigint[], %s::bigint[], %s::numeric[], %s::bigint[], "
            "%s::text[]) AS given"
            " ON CONFLICT (digest) DO UPDATE SET size = excluded.size, mtime_ns = "
            "excluded.mtime_ns, inode = excluded.inode,"
            " seen_ns = excluded.seen_ns, hash = excluded.hash"
        )
        rows = [(path, *stat, seen, known) for path, (stat, seen, known) in sorted(files.items())]
        for at in range(0, len(rows), _BATCH):
            self._db.run(
                sql, (root, language, *map(list, zip(*rows[at : at + _BATCH], strict=True)))
            )
        if lost := list(gone):
            sql = (
                "DELETE FROM outline_files WHERE digest IN"
                " (SELECT md5(%s || chr(31) || %s || chr(31) || path) FROM "
                "unnest(%s::text[]) AS path)"
            )
            self._db.run(sql, (root, language, lost))

    def facts(self, hashes: Iterable[str], maker: str) -> Iterator[tuple[str, bytes]]:
        """Yield the facts that are there for contents, made by one extractor, as they were
        given.
        """
        sql = (
            "SELECT hash, facts FROM outline_facts WHERE digest IN"
            f" (SELECT {_DIGEST.replace('%s', 'given', 1)} FROM unnest(%s::text[]) AS given)"
        )
        wanted = list(hashes)
        for at in range(0, len(wanted), _BATCH):
            yield from self._db.execute(
                sql, (maker, wanted[at : at + _BATCH]), binary=True
            ).fetchall()

    def put_facts(self, facts: Iterable[tuple[str, bytes]], maker: str) -> None:
        """Keep facts in the place of those that an older extractor of the language made.

        A maker begins with its language.
        """
        older = (
            "DELETE FROM outline_facts WHERE md5(hash) IN (SELECT md5(given) FROM "
            "unnest(%s::text[]) AS given)"
            " AND maker <> %s AND starts_with(maker, %s)"
        )
        fresh = (
            "INSERT INTO outline_facts (hash, maker, facts) SELECT given.hash, %s, given.facts"
            " FROM unnest(%s::text[], %s::bytea[]) AS given (hash, facts)"
            " ON CONFLICT (digest) DO UPDATE SET facts = excluded.facts"
        )
        rows = sorted(dict(facts).items())
        for at in range(0, len(rows), _BATCH):
            known, packed = map(list, zip(*rows[at : at + _BATCH], strict=True))
            self._db.run(older, (known, maker, f"{maker.partition(' ')[0]} "))
            self._db.run(fresh, (maker, known, packed))

    def graph(self, root: str, language: str, maker: str) -> bytes | None:
        """Return the graph of a project that was made from the same."""
        key = _GRAPH.format(language=language, root=root)
        found = self._db.execute(
            f"SELECT facts FROM outline_facts WHERE digest = {_DIGEST}", (key, maker), binary=True
        ).fetchone()
        return None if found is None else bytes(found[0])

    def put_graph(self, root: str, language: str, maker: str, packed: bytes) -> None:
        """Keep the graph of a project in the place of an older one.

        It stands beside the facts that it was made from.
        """
        key = _GRAPH.format(language=language, root=root)
        self._db.run("DELETE FROM outline_facts WHERE md5(hash) = md5(%s)", (key,))
        self._db.run(
            "INSERT INTO outline_facts (hash, maker, facts) VALUES (%s, %s, %s)",
            (key, maker, packed),
        )

    def prune(self) -> int:
        """Drop facts of contents that no file has, and graphs without files.

        A folder that is not here may be on another machine, so what is known of its files stays.
        """
        return self._db.run(
            "DELETE FROM outline_facts f WHERE NOT EXISTS (SELECT 1 FROM outline_files o "
            "WHERE o.hash = f.hash)"
            " AND NOT EXISTS (SELECT 1 FROM outline_files o WHERE 'graph ' || o.language "
            "|| ' ' || o.root = f.hash)"
        )
