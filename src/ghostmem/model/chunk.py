"""Chunks of memories."""

from dataclasses import dataclass

from ghostmem.model.memory import Record


@dataclass(frozen=True, eq=False, repr=False)
class Chunk(Record):
    """A piece of a memory's content, the unit of indexing."""

    memory_id: str
    seq: int
    text: str
    start_line: int
    end_line: int
