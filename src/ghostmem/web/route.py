"""A route of the REST interface as a row of a table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ghostmem.caller import CALLER
from ghostmem.ghost import Ghost
from ghostmem.model import Record
from ghostmem.web.fields import Fields

Given = dict[str, Any]

# How the namespace of a call is found.
ONE = "one"  # it is named
SEVERAL = "several"  # it may be named, also as a prefix; otherwise all, or the only one a token has
ALL = "all"  # the whole store
OWN = "own"  # the handler looks at each thing's namespace


@dataclass(frozen=True, eq=False, repr=False)
class ApiRoute:
    """A route; fields outside the path come in the query of GET and DELETE, else in the body."""

    method: str
    path: str
    scope: str
    where: str
    about: str
    call: Callable[[Ghost, Given], Any]
    takes: Fields
    needs: tuple[str, ...] = ()
    streams: bool = False

    @property
    def in_path(self) -> tuple[str, ...]:
        """Return the fields in the path."""
        return tuple(part[1:-1] for part in self.path.split("/") if part.startswith("{"))

    @property
    def has_body(self) -> bool:
        """Tell whether fields come in a body."""
        return self.method not in ("GET", "DELETE")

    @property
    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of all fields."""
        required = [*self.in_path, *self.needs]
        return {
            "type": "object",
            "properties": dict(self.takes),
            "required": required,
            "additionalProperties": False,
        }


def listed(name: str, call: Callable[[Ghost, Given], Any]) -> Callable[[Ghost, Given], Any]:
    """Wrap a list in an object."""
    return lambda ghost, given: {name: call(ghost, given)}


def without_places(removed: Record, ns: str) -> dict[str, Any]:
    """Return a removal without paths of the server's machine, which only admins may see."""
    hidden = () if CALLER.get().may(ns, "admin") else ("backups", "files")
    return {name: value for name, value in removed.to_dict().items() if name not in hidden}
