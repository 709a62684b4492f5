"""The facts of a source file as they are stored: lines with errors, and what the engine packed."""

import json
import struct
import zlib
from dataclasses import dataclass, field

# before packed facts: the length of the lines with errors, and the checksum of everything
_FRONT = struct.Struct(">II")


@dataclass(slots=True)
class Facts:
    """The facts of a file; see `engine.facts`."""

    errors: list[int] = field(default_factory=list)  # lines that could not be parsed
    fold: bytes = field(default=b"", repr=False)  # the file as the engine packs it

    def packed(self) -> bytes:
        """Return the facts as bytes for the cache."""
        lines = json.dumps(self.errors).encode()
        return _FRONT.pack(len(lines), zlib.crc32(self.fold, zlib.crc32(lines))) + lines + self.fold

    @classmethod
    def unpacked(cls, packed: bytes) -> "Facts | None":
        """Read what `packed` returned; None if it is damaged."""
        if len(packed) < _FRONT.size:
            return None
        size, check = _FRONT.unpack_from(packed)
        content = packed[_FRONT.size :]
        if zlib.crc32(content) != check:
            return None
        return cls(json.loads(content[:size]), content[size:])
