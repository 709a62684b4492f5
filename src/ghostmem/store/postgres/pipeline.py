"""Statements in libpq's pipeline mode, sent together and answered together.

psycopg's own pipeline sends every statement at once and makes a cursor for it, which costs more
than most of the statements here."""

from collections.abc import Generator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg
from psycopg import generators
from psycopg.adapt import PyFormat, Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, Format

if TYPE_CHECKING:
    from psycopg.pq.abc import PGconn, PGresult

# more than there are statements, because forgetting one costs a statement
MAX_PREPARED = 500
_ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"'})


class BoundStatement(NamedTuple):
    """A statement in psycopg's form with its values."""

    sql: str
    values: Sequence[Any] = ()
    binary: bool = False  # the form of its result


class Answer(NamedTuple):
    """The rows of a statement, and the number of rows returned or changed."""

    rows: list[Any]
    affected: int


class Pipeline:
    """The statements of one connection, each prepared when it is first sent."""

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        self._pgconn = connection.pgconn
        self._transformer = Transformer(connection)
        self._prepared: dict[tuple[str, tuple[int, ...]], bytes] = {}  # by statement and types
        self._last = 0  # the number of the statement that was prepared last

    def exchange(self, statements: Sequence[BoundStatement]) -> "Generator[Any, Any, list[Answer]]":
        """Send statements and yield while the server works; returns their answers."""
        pgconn = self._pgconn
        pgconn.enter_pipeline_mode()
        try:
            commands = [self._send(statement) for statement in statements]
            pgconn.pipeline_sync()
            results = yield from _fetch(pgconn, sum(commands) + 1)
        finally:
            if pgconn.status == psycopg.pq.ConnStatus.OK:
                _exit(pgconn)
        return [
            self._answer(results[end - 1], statement.binary)
            for statement, end in zip(statements, accumulate(commands), strict=True)
        ]

    def _send(self, statement: BoundStatement) -> int:
        """Queue a statement and return the number of its commands; the last one runs it."""
        sql, values, binary = statement
        transformer, commands = self._transformer, 1
        dumped: Sequence[Any] = ()
        types: tuple[int, ...] = ()
        formats: list[Format] = []
        if values:
            plain = [_array(value) if type(value) is list else value for value in values]
            dumped = transformer.dump_sequence(plain, [PyFormat.AUTO] * len(plain))
            types, formats = transformer.types or (), transformer.formats or []
        name = self._prepared.pop((sql, types), None)
        if name is None:
            self._last += 1
            commands += self._prepare(name := b"ghost_%d" % self._last, sql, types)
        self._prepared[sql, types] = name
        self._pgconn.send_query_prepared(name, dumped, formats, int(binary))
        return commands

    def _prepare(self, name: bytes, sql: str, types: tuple[int, ...]) -> int:
        """Queue the preparation of a statement, and forget the one used longest ago if needed."""
        self._pgconn.send_prepare(name, _numbered(sql) if types else sql.encode(), types)
        if len(self._prepared) < MAX_PREPARED:
            return 1
        self._pgconn.send_query_params(
            b"DEALLOCATE " + self._prepared.pop(next(iter(self._prepared))), None
        )
        return 2

    def _answer(self, result: "PGresult", binary: bool) -> Answer:
        if result.status != ExecStatus.TUPLES_OK:
            return Answer([], result.command_tuples or 0)
        count = result.ntuples
        if not count:
            return Answer([], 0)
        self._transformer.set_pgresult(result, format=Format(binary))
        return Answer(self._transformer.load_rows(0, count, tuple), count)


def _fetch(pgconn: "PGconn", count: int) -> "Generator[Any, Any, list[PGresult]]":
    """Send everything that waits, and return the results of as many commands.

    Raises the error of the first that failed; the server has skipped those after it."""
    yield from generators.send(pgconn)
    results: list[PGresult] = []
    try:
        for _ in range(count):
            results += yield from generators.fetch_many(pgconn)
    except psycopg.OperationalError:
        _raise_first(results)  # a server that ends the connection has told the reason before
        raise
    _raise_first(results)
    return results


def _raise_first(results: "Sequence[PGresult]") -> None:
    for result in results:
        if result.status == ExecStatus.FATAL_ERROR:
            raise error_from_result(result, encoding="utf-8")


def _exit(pgconn: "PGconn") -> None:
    """Leave pipeline mode, unless results are still due: the connection is not used again."""
    try:
        pgconn.exit_pipeline_mode()
    except psycopg.OperationalError:
        pgconn.finish()


@lru_cache(4096)
def _numbered(sql: str) -> bytes:
    """Return a statement with the server's placeholders: `$1`, `$2` and so on for `%s`."""
    first, *rest = sql.split("%s")
    return "".join([first, *(f"${at}{part}" for at, part in enumerate(rest, 1))]).encode()


def _array(values: list[Any]) -> Any:
    """Return numbers or texts as the text of an array, whose type the server knows.

    Others are left to psycopg, which looks at every value twice."""
    kinds = set(map(type, values))
    if kinds <= {int}:
        return f"{{{','.join(map(str, values))}}}"
    if kinds == {str}:
        quoted = '","'.join([value.translate(_ESCAPED) for value in values])
        return f'{{"{quoted}"}}'
    return values
