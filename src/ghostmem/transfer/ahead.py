"""Check and index the texts of a large import in a copy of this process, while this one writes.

The copy works one or two batches ahead. It is made after the first batch, if no key of that was
stored before; if a later batch has a stored key, or the copy fails, this process does the rest
itself. The results are the same, because they depend on the texts and settings alone."""

from __future__ import annotations

import gc
import marshal
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

from ghostmem.forked import can_fork, copied
from ghostmem.judge import uses_judge
from ghostmem.memory.quarantine import Labels, instruction_reasons, labels_of
from ghostmem.memory.write import rows_of
from ghostmem.store import IndexRow, Store, index_rows

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from ghostmem.model import Memory

MAX_VECTORS = 100_000  # that are kept until all memories are written
MIN_AHEAD = 1_500  # memories after the first batch for which a copy is made
# What judging a text costs: measured on one slow core, as an estimate for people.
_SECONDS, _SECONDS_PER_CHARACTER, _MAX_SECONDS = 0.005, 0.000_015, 0.6
_MIN_NOTED = 10  # seconds
Batch = TypeVar("Batch")


class ImportedText(NamedTuple):
    """The parts of a memory that decide about its quarantine and its index."""

    ns: str
    key: str
    content: str
    labels: Labels
    source_user: str | None
    is_live: bool = True

    @classmethod
    def of(cls, memory: Memory) -> Self:
        """Return the text of a memory."""
        labels, is_live = labels_of(memory.key, vars(memory)), memory.deleted_at is None
        return cls(memory.ns, memory.key, memory.content, labels, memory.source_user, is_live)


def judging_note(store: Store, texts: Iterable[ImportedText]) -> list[str]:
    """Return what judging new texts costs, as a note, if that takes long."""
    if not (store.settings.quarantine and uses_judge(store.settings)):
        return []
    costs = [
        _SECONDS + min(_MAX_SECONDS, _SECONDS_PER_CHARACTER * len(text.content)) for text in texts
    ]
    if sum(costs) < _MIN_NOTED:
        return []
    return [
        f"the judge reads up to {len(costs):,} texts, which takes about {sum(costs):.0f} s of CPU;"
        " a stopped import goes on where it ended, and --trust skips the judge"
    ]


class PreparedTexts:
    """The reasons to hold texts in quarantine, and their index rows: known, or made on request."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reasons: dict[tuple[str, Labels], tuple[str, ...]] = {}
        self._rows: dict[tuple[str, str, str | None], Sequence[IndexRow]] = {}

    def add(
        self, text: ImportedText, reasons: tuple[str, ...] | None, rows: Sequence[IndexRow]
    ) -> None:
        """Keep what a copy made of a text; a text that it did not check has no reasons."""
        if reasons is not None:
            self._reasons[text.content, text.labels] = reasons
        if text.is_live:
            self._rows[text.key, text.content, text.source_user] = rows

    def reasons(self, text: ImportedText) -> tuple[str, ...]:
        """Return the reasons to hold a text in quarantine."""
        known = self._reasons.get((text.content, text.labels))
        if known is None:
            return instruction_reasons(self._store.settings, text.content, text.labels)
        return known

    def rows(self, memory: Memory) -> Sequence[IndexRow]:
        """Return the index rows of a memory, without its tags."""
        known = self._rows.get((memory.key, memory.content, memory.source_user))
        return rows_of(self._store, memory) if known is None else known


class TextsAhead(Generic[Batch]):
    """The prepared texts of the batches of an import, one batch after another."""

    def __init__(
        self,
        store: Store,
        batches: Sequence[Batch],
        texts_of: Callable[[Batch], Iterable[ImportedText]],
        *,
        check: bool,
    ) -> None:
        self._store, self._batches, self._texts_of, self._check = store, batches, texts_of, check
        self._done = 0  # batches
        self.vectors: dict[str, bytes] = {}  # of the texts of chunks, as far as they are known
        self._stack = ExitStack()
        self._peer: Connection[Any, Any] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()

    def next(self) -> PreparedTexts:
        """Return the prepared texts of the next batch."""
        texts = PreparedTexts(self._store)
        if self._peer is not None:
            try:
                made = marshal.loads(self._peer.recv_bytes())  # noqa: S302 (a copy of this process)
            except (EOFError, OSError, ValueError):
                self._stop()
            else:
                self._add(texts, *made)
        if self._check and self._peer is None:
            self._judge(texts)
        self._done += 1
        return texts

    def _judge(self, texts: PreparedTexts) -> None:
        """Judge new texts before the transaction, so that others can write meanwhile."""
        batch = list(self._texts_of(self._batches[self._done]))
        with self._store.engine.read() as tx:
            known = tx.memories.histories((text.ns, text.key) for text in batch)
        stored = {(m.ns, m.key, m.content) for history in known.values() for m in history}
        for text in batch:
            if (text.ns, text.key, text.content) not in stored:
                texts.reasons(text)

    def _add(self, texts: PreparedTexts, prepared: list[Any], vectors: list[bytes]) -> None:
        """Keep what the copy made of a batch."""
        spoken: list[str] = []
        batch = self._texts_of(self._batches[self._done])
        for text, (reasons, values) in zip(batch, prepared, strict=True):
            rows = [IndexRow(*row) for row in values]
            texts.add(text, reasons, rows)
            spoken += [row.spoken for row in rows]
        if len(self.vectors) < MAX_VECTORS:
            self.vectors.update(zip(spoken, vectors, strict=False))

    def written(self, *, all_new: bool) -> None:
        """Start the copy when the first batch is written, and do without it if keys are stored."""
        if not all_new:
            self._stop()
        elif self._done == 1 and self._are_many() and can_fork():
            with suppress(OSError):
                self._peer = self._stack.enter_context(copied(self._run))

    def _are_many(self) -> bool:
        texts = (text for batch in self._batches[1:] for text in self._texts_of(batch))
        return next(islice(texts, MIN_AHEAD - 1, None), None) is not None

    def _stop(self) -> None:
        self._peer = None
        self._stack.close()

    def _run(self, peer: Connection[Any, Any]) -> None:
        """Prepare all batches but the first one, in the copy."""
        gc.disable()  # a collection would copy all memory that both processes share
        vectoriser = self._store.vectoriser
        # a model that needs much more time is left to the first process, which has other work less
        is_fast = vectoriser.is_near and self._store.settings.embed_provider == "static"
        embedder = vectoriser.get() if is_fast else None
        for batch in self._batches[1:]:
            prepared = [self._prepared(text) for text in self._texts_of(batch)]
            spoken = [row.spoken for _, rows in prepared for row in rows]
            vectors = vectoriser.try_bytes(spoken, embedder)
            plain = [(reasons, [tuple(row) for row in rows]) for reasons, rows in prepared]
            peer.send_bytes(marshal.dumps((plain, vectors)))

    def _prepared(self, text: ImportedText) -> tuple[tuple[str, ...] | None, Sequence[IndexRow]]:
        _, key, content, labels, source, is_live = text
        settings = self._store.settings
        reasons = instruction_reasons(settings, content, labels) if self._check else None
        return reasons, index_rows(key, content, settings.chunk_target, source) if is_live else ()
