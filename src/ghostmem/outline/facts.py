"""What one source file says, before anything is resolved; facts are cached as JSON, so every value is plain data."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

FILE = -1  # the owner of what stands outside every symbol


class Symbol(NamedTuple):
    """A declaration: its bare name and kind, which symbol of the file it is inside, where it stands, and its first line.

    `kind` is function, method, type, interface, variable, constant, field or module; `detail` is the language's own.
    """

    name: str
    kind: str
    parent: int
    line: int
    end_line: int
    start: int
    stop: int
    signature: str
    detail: Any = None


class Import(NamedTuple):
    """What a file brings in: from where, under which name here (empty: the last part of the path), and whether everything."""

    path: str
    line: int
    owner: int = FILE
    name: str = ""
    alias: str = ""
    star: bool = False
    detail: Any = None


class Ref(NamedTuple):
    """A place that names something: a call, a read or write of a variable, a type; as written, with what resolving needs."""

    kind: str  # calls, accesses, assigns, uses, extends, implements
    owner: int
    text: str
    line: int
    detail: Any = None


@dataclass(slots=True)
class Facts:
    """Everything one file says."""

    package: str = ""
    symbols: list[Symbol] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    refs: list[Ref] = field(default_factory=list)
    detail: Any = None  # the language's own: scopes, bindings, exports
    errors: list[int] = field(default_factory=list)  # lines that could not be parsed

    def to_json(self) -> dict[str, Any]:
        """Return the facts as plain data; nothing is copied, so whoever gets it must not change it."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Facts":
        """Read what `to_json` returned, also after a trip through JSON."""
        return cls(
            data["package"],
            [Symbol(*one) for one in data["symbols"]],
            [Import(*one) for one in data["imports"]],
            [Ref(*one) for one in data["refs"]],
            data["detail"],
            data["errors"],
        )
