"""A route of the REST interface as a row of a table, and the schemas of its fields."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from ghostmem.caller import CALLER
from ghostmem.frozen import frozen
from ghostmem.ghost import Ghost
from ghostmem.memory.curate import OPS
from ghostmem.model import Record, Rel
from ghostmem.parameters import OPERATIONS, TEXT, TEXTS, Parameter
from ghostmem.store.validate import MAX_KEY, MAX_TAG

Fields = Mapping[str, Mapping[str, Any]]
MAX_ITEMS = 1000
_COMMAS = re.compile(", separated by commas(; repeatable)?")  # true of the command line only

Given = dict[str, Any]

# How the namespace of a call is found.
ONE = "one"  # it is named
SEVERAL = "several"  # it may be named, also as a prefix; otherwise all, or the only one a token has
ALL = "all"  # the whole store
OWN = "own"  # the handler looks at each thing's namespace


def text(about: str, longest: int = MAX_KEY, shortest: int = 0) -> dict[str, Any]:
    """Return the schema of a text."""
    schema = {"type": TEXT, "description": about, "maxLength": longest}
    return {**schema, "minLength": shortest} if shortest else schema


def texts(about: str, most: int = MAX_ITEMS, longest: int = MAX_KEY) -> dict[str, Any]:
    """Return the schema of a list of texts."""
    return {
        "type": TEXTS,
        "description": about,
        "maxItems": most,
        "items": {"type": TEXT, "maxLength": longest},
    }


def number(about: str, most: int) -> dict[str, Any]:
    """Return the schema of a whole number from 1 on."""
    return {"type": "integer", "description": about, "minimum": 1, "maximum": most}


def fields(operation: str, names: str = "", **changes: Mapping[str, Any]) -> Fields:
    """Return the schemas of parameters of an operation, all or some, with changes for a route."""
    table = OPERATIONS[operation]
    return {
        name: {**_field(table[name]), **_COMMON.get(name, {}), **changes.get(name, {})}
        for name in (names.split() or table)
    }


def _field(parameter: Parameter) -> dict[str, Any]:
    if parameter.type == TEXTS:
        return texts(_COMMAS.sub("", parameter.help))
    schema = {**parameter.schema, "description": parameter.help}
    if parameter.type == TEXT and not parameter.choices and parameter.max_length != 0:
        schema["maxLength"] = parameter.max_length or MAX_KEY
    return schema


# what HTTP adds to the parameters of these names
_COMMON: Fields = {
    "content": {"minLength": 1},
    "tags": {"items": {"type": TEXT, "maxLength": MAX_TAG}},
    "tag": {"maxLength": MAX_TAG},
    "min_score": {"minimum": -1e6, "maximum": 1e6},
    "min_spread": {"minimum": 0, "maximum": 1e6},
    "op": {"enum": list(OPS)},
}
NS: Fields = fields("get", "ns")
NS_FILTER: Fields = fields(
    "search",
    "ns",
    ns={
        "description": "Namespace or prefix such as agent:*; default: all that the token may read."
    },
)
KEYED: Fields = fields(
    "get", "ns key", key={"description": "The key; in a path one percent-encoded segment."}
)
LIMIT: Fields = fields("list", "limit")
FILTERS = (  # of lists, searches and contexts
    "kind tags priority pinned source_user source_kind source_scope source_client after before "
    "valid_at file file_rel"
)
FILTER_TAGS = {"maxItems": 50}
RELS = {"enum": [str(rel) for rel in Rel]}


@frozen
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
        return {
            "type": "object",
            "properties": dict(self.takes),
            "required": [*self.in_path, *self.needs],
            "additionalProperties": False,
        }


def listed(name: str, call: Callable[[Ghost, Given], Any]) -> Callable[[Ghost, Given], Any]:
    """Wrap a list in an object."""
    return lambda ghost, given: {name: call(ghost, given)}


def without_places(removed: Record, ns: str) -> dict[str, Any]:
    """Return a removal without paths of the server's machine, which only admins may see."""
    hidden = () if CALLER.get().may(ns, "admin") else ("backups", "unchecked_backups", "files")
    return {name: value for name, value in removed.to_dict().items() if name not in hidden}
