"""Where what a transaction has seen lives: every statement names its namespace, so that a cluster
asks one node.
"""

from collections.abc import Iterable
from typing import Any

from ghostmem.store.postgres.connect import Db

NEARBY = 3  # in how many namespaces a row is looked for by name before it is looked for everywhere


class Places:
    """The namespaces of memories, chunks and numbers.

    What was never seen is looked for where others were, then everywhere.
    """

    def __init__(self, db: Db) -> None:
        self._db = db
        self._memories: dict[str, str] = {}
        self._chunks: dict[int, str] = {}
        self._spaces: dict[int, str] = {}

    def saw(self, ns: str, memory_ids: Iterable[str]) -> None:
        """Note where memories live."""
        self._memories.update(dict.fromkeys(memory_ids, ns))

    def saw_chunks(self, ns: str, numbers: Iterable[int]) -> None:
        """Note where chunks live."""
        self._chunks.update(dict.fromkeys(numbers, ns))

    def saw_space(self, number: int, ns: str) -> None:
        """Note which namespace a number is."""
        self._spaces[number] = ns

    def forget(self) -> None:
        """Know nothing any more, because namespaces changed their names."""
        self._memories.clear()
        self._chunks.clear()
        self._spaces.clear()

    def of(self, memory_ids: Iterable[str]) -> dict[str, list[str]]:
        """Return memories by namespace, without those that are nowhere."""
        ids = list(memory_ids)
        self._look("memories", self._memories, ids)
        found: dict[str, list[str]] = {}
        for one in ids:
            if one in self._memories:
                found.setdefault(self._memories[one], []).append(one)
        return found

    def one(self, memory_id: str) -> str | None:
        """Return the namespace of a memory."""
        return next(iter(self.of([memory_id])), None)

    def of_chunks(self, numbers: Iterable[int], nearby: bool = False) -> dict[str, list[int]]:
        """Return chunks by namespace, without those that are nowhere.

        `nearby` looks only where this transaction has been.
        """
        wanted = list(numbers)
        self._look("chunks", self._chunks, wanted, nearby)
        found: dict[str, list[int]] = {}
        for one in wanted:
            if one in self._chunks:
                found.setdefault(self._chunks[one], []).append(one)
        return found

    def _look(
        self, table: str, known: dict[Any, str], wanted: list[Any], nearby: bool = False
    ) -> None:
        """Find out where rows live; a transaction mostly stays in one namespace, and asking there
        asks one node.
        """
        unknown = [one for one in wanted if one not in known]
        seen = dict.fromkeys((*self._db.locked, *self._spaces.values(), *self._memories.values()))
        for ns in seen if unknown and len(seen) <= NEARBY else ():
            rows = self._db.rows(
                f"SELECT id FROM {table} WHERE ns = %s AND id = ANY(%s)", (ns, unknown)
            )
            known.update((one, ns) for (one,) in rows)
            unknown = [one for one in unknown if one not in known]
            if not unknown:
                return
        if unknown and not (nearby and 0 < len(seen) <= NEARBY):
            known.update(
                (one, ns)
                for ns, one in self._db.rows(
                    f"SELECT ns, id FROM {table} WHERE id = ANY(%s)", (unknown,)
                )
            )

    def space(self, number: int) -> str:
        """Return the namespace with a number; an empty text when there is none."""
        if number not in self._spaces and len(self._db.locked) <= NEARBY:
            for ns in self._db.locked:
                known = self._db.get("SELECT id FROM namespaces WHERE ns = %s", (ns,))
                if known is not None:
                    self._spaces[known] = ns
        if number not in self._spaces:
            found = self._db.get("SELECT ns FROM namespaces WHERE id = %s", (number,))
            if found is None:
                return ""
            self._spaces[number] = found
        return self._spaces[number]
