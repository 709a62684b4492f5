"""What one source file says, before anything is resolved; facts are cached as JSON, so every value is plain data."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
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
        """Return the facts as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Facts":
        """Read what `to_json` returned, also after a trip through JSON."""
        return cls(
            data["package"],
            [Symbol(*_values(one, Symbol)) for one in data["symbols"]],
            [Import(*_values(one, Import)) for one in data["imports"]],
            [Ref(*_values(one, Ref)) for one in data["refs"]],
            data["detail"],
            data["errors"],
        )


def _values(one: Any, kind: Any) -> Sequence[Any]:
    return [one[name] for name in kind._fields] if isinstance(one, dict) else one
