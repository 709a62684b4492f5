"""The facts of a source file as they are stored: lines with errors, and what the engine packed."""

import marshal
import zlib
from dataclasses import dataclass, field


@dataclass(slots=True)
class Facts:
    """The facts of a file; see `engine.facts`."""

    errors: list[int] = field(default_factory=list)  # lines that could not be parsed
    fold: bytes = field(default=b"", repr=False)  # the file as the engine packs it

    def packed(self) -> bytes:
        """Return the facts as bytes for the cache, with the checksum that zlib adds."""
        return zlib.compress(marshal.dumps((self.errors, self.fold)), 0)

    @classmethod
    def unpacked(cls, packed: bytes) -> "Facts | None":
        """Read what `packed` returned; None if it is damaged."""
        try:
            return cls(*marshal.loads(zlib.decompress(packed)))  # noqa: S302
        except zlib.error:
            return None
