"""From content to the rows of the index: the only place that decides what is searched."""

from ghostmem.engine.rows import IndexRow
from ghostmem.model import Memory
from ghostmem.text.chunk import CHUNKER, chunk
from ghostmem.text.terms import encode, index_terms


def index_rows(key: str, content: str, target: int) -> list[IndexRow]:
    """Chunk a content and prepare each chunk for full text and substrings."""
    named = index_terms(key)
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
                plain=f"{key}\n{text}" if seq == 0 else text,
                chunker=CHUNKER,
            )
        )
    return rows


class Reindexer:
    """Index rows of whole memories, for repair and restore."""

    def __init__(self, target: int) -> None:
        self._target = target

    def __call__(self, memory: Memory) -> list[IndexRow]:
        return index_rows(memory.key, memory.content, self._target)
