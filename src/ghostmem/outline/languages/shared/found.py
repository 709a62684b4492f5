"""What looking a name up in Rust, C or C++ comes to."""

from typing import Any, NamedTuple


class Target(NamedTuple):
    """What a name is: a symbol (sym), a namespace (ns) or module (mod), something outside (native,
    external), a parameter (gen).

    When only the first part of a path is known, `left` holds its targets and the rest.
    """

    kind: str
    value: Any


class Found(NamedTuple):
    """The targets of a name and the rung that found them."""

    targets: tuple[Target, ...] = ()
    via: str = ""


NOTHING = Found()
