"""From content to the rows of the index: the only place that decides what is searched, and what is embedded."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ghostmem.engine.rows import IndexRow
from ghostmem.model import Memory
from ghostmem.text.chunk import CHUNKER, chunk
from ghostmem.text.scripts import fold
from ghostmem.text.terms import encode, index_terms

if TYPE_CHECKING:
    from ghostmem.embed.base import Embedder


def index_rows(key: str, content: str, target: int, source: str | None = None) -> list[IndexRow]:
    """Chunk a content and prepare each chunk for full text, substrings and vectors, with its key and who said it."""
    # short numbers in keys are counters, and would only be taken for numbers in questions
    named = [term for term in index_terms(key) if term.isalpha() or len(term) > 4] + index_terms(source or "")
    rows = []
    for seq, span in enumerate(chunk(content, target, target * 3 // 2)):
        text = content[span.start : span.stop]
        terms = [*named, *index_terms(text)]
        rows.append(
            IndexRow(
                seq=seq,
                start=span.start,
                stop=span.stop,
                start_line=span.start_line,
                end_line=span.end_line,
                terms=" ".join(terms),
                length=len(terms),
                tokens=" ".join(map(encode, terms)),
                plain=fold(f"{key}\n{text}" if seq == 0 else text).lower(),
                chunker=CHUNKER,
                spoken=spoken(text, source),
            )
        )
    return rows


def spoken(text: str, source: str | None) -> str:
    """Return a chunk's text as it is embedded: with who said it."""
    return f"{source}: {text}" if source else text


def vector_bytes(embedder: "Embedder", texts: Sequence[str]) -> list[bytes]:
    """Embed texts and return their vectors as they are stored: float16."""
    import numpy as np

    return [row.tobytes() for row in embedder.embed(texts).astype(np.float16)]


class Reindexer:
    """Index rows of whole memories, for repair and restore."""

    def __init__(self, target: int) -> None:
        self._target = target

    def __call__(self, memory: Memory) -> list[IndexRow]:
        return index_rows(memory.key, memory.content, self._target, memory.source_user)
