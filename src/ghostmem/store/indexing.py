"""Turn content into the rows of the index: the terms that are searched and the texts to embed."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ghostmem.model import Memory
from ghostmem.store.rows import IndexRow
from ghostmem.store.transaction import Transaction
from ghostmem.text.chunk import CHUNKER, chunk
from ghostmem.text.labels import label_terms, tag_terms, with_tags
from ghostmem.text.scripts import fold
from ghostmem.text.terms import encode_all, index_terms, joined_terms

if TYPE_CHECKING:
    from ghostmem.embed.base import Embedder


def index_rows(key: str, content: str, target: int, source: str | None = None) -> list[IndexRow]:
    """Chunk a content and prepare each chunk for full text, substrings and vectors.

    Terms of the key and of the source are part of each chunk. Tags are added by `tagged`,
    because they can change while the content stays."""
    name_terms = _name_terms(key, source)
    rows = []
    for seq, span in enumerate(chunk(content, target, target * 3 // 2)):
        text = content[span.start : span.stop]
        terms = _chunk_terms(name_terms, text)
        rows.append(
            IndexRow(
                seq=seq,
                start=span.start,
                stop=span.stop,
                start_line=span.start_line,
                end_line=span.end_line,
                terms=" ".join(terms),
                length=len(terms),
                tokens=encode_all(terms),
                plain=fold(f"{key}\n{text}" if seq == 0 else text).lower(),
                chunker=CHUNKER,
                spoken=spoken(text, source),
            )
        )
    return rows


def _name_terms(key: str, source: str | None) -> list[str]:
    return label_terms(key) + index_terms(source or "")


def _chunk_terms(name_terms: Sequence[str], text: str) -> list[str]:
    terms = index_terms(text)
    return [*name_terms, *terms, *joined_terms(terms)]


def tagged(rows: Sequence[IndexRow], tags: Iterable[str]) -> Sequence[IndexRow]:
    """Add the terms of a memory's tags to its chunks; the embedded text does not change."""
    extra = tag_terms(tags)
    if not extra:
        return rows
    return [
        row._replace(terms=terms, length=len(terms.split()), tokens=encode_all(terms.split()))
        for row, terms in zip(rows, [with_tags(row.terms, extra) for row in rows], strict=True)
    ]


def retag(tx: Transaction, memory: Memory, tags: Sequence[str]) -> None:
    """Replace the tags in the index of a live memory.

    Its chunks, their numbers and vectors stay."""
    extra = tag_terms(tags)
    if extra == tag_terms(memory.tags):
        return
    name_terms = _name_terms(memory.key, memory.source_user)
    terms = [" ".join(_chunk_terms(name_terms, chunk.text)) for chunk in tx.index.chunks(memory)]
    tx.index.reword(memory.ns, memory.id, [with_tags(text, extra) for text in terms])


def spoken(text: str, source: str | None) -> str:
    """Return a chunk's text as it is embedded: after the name of its source."""
    return f"{source}: {text}" if source else text


def vector_bytes(embedder: "Embedder", texts: Sequence[str]) -> list[bytes]:
    """Embed texts, equal ones once, and return their vectors as stored: float16 bytes."""
    import numpy as np

    different = list(dict.fromkeys(texts))
    vectors = {
        text: row.tobytes()
        for text, row in zip(different, embedder.embed(different).astype(np.float16), strict=True)
    }
    return [vectors[text] for text in texts]


def reindexed_rows(target: int, memory: Memory) -> Sequence[IndexRow]:
    """Return the index rows of a whole memory with its tags, for a repair."""
    return tagged(index_rows(memory.key, memory.content, target, memory.source_user), memory.tags)
