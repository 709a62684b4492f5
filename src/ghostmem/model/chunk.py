"""Chunks of memories."""

from ghostmem.frozen import frozen
from ghostmem.model.memory import Record


@frozen
class Chunk(Record):
    """A piece of a memory's content, the unit of indexing."""

    memory_id: str
    seq: int
    text: str
    start_line: int
    end_line: int
