"""Where what a transaction has seen lives: every statement names its namespace, so that a cluster asks one node."""

from collections.abc import Iterable

from ghostmem.engine.postgres.connect import Db


class Places:
    """The namespaces of memories, chunks and numbers; what was never seen is looked for everywhere, once."""

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
        unknown = [one for one in ids if one not in self._memories]
        if unknown:
            for ns, one in self._db.rows("SELECT ns, id FROM memories WHERE id = ANY(%s)", (unknown,)):
                self._memories[one] = ns
        found: dict[str, list[str]] = {}
        for one in ids:
            if one in self._memories:
                found.setdefault(self._memories[one], []).append(one)
        return found

    def one(self, memory_id: str) -> str | None:
        """Return the namespace of a memory."""
        return next(iter(self.of([memory_id])), None)

    def of_chunks(self, numbers: Iterable[int]) -> dict[str, list[int]]:
        """Return chunks by namespace, without those that are nowhere."""
        wanted = list(numbers)
        unknown = [one for one in wanted if one not in self._chunks]
        if unknown:
            for ns, one in self._db.rows("SELECT ns, id FROM chunks WHERE id = ANY(%s)", (unknown,)):
                self._chunks[one] = ns
        found: dict[str, list[int]] = {}
        for one in wanted:
            if one in self._chunks:
                found.setdefault(self._chunks[one], []).append(one)
        return found

    def space(self, number: int) -> str:
        """Return the namespace with a number; an empty text when there is none."""
        if number not in self._spaces:
            found = self._db.get("SELECT ns FROM namespaces WHERE id = %s", (number,))
            if found is None:
                return ""
            self._spaces[number] = found
        return self._spaces[number]
