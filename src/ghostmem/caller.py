"""The caller of a request over the network, and its permissions."""

from contextvars import ContextVar

from ghostmem.errors import ForbiddenError
from ghostmem.frozen import frozen

MAX_NAMED = 5  # grants in a hint
SCOPES = ("read", "write", "admin")  # each includes those before it


@frozen
class Caller:
    """A caller with grants: pairs of a namespace, prefix (`agent:*`) or `*`, and a scope."""

    name: str
    grants: tuple[tuple[str, str], ...]

    def may(self, ns: str, need: str) -> bool:
        """Tell whether a scope is granted for a namespace, a prefix, or (empty text) everything."""
        wanted = ns or "*"
        prefix = wanted.removesuffix("*")
        return any(
            (prefix.startswith(space[:-1]) if space.endswith("*") else space == wanted)
            and SCOPES.index(scope) >= SCOPES.index(need)
            for space, scope in self.grants
        )


OWNER = Caller("owner", (("*", "admin"),))
CLIENT: ContextVar[str | None] = ContextVar(
    "client", default=None
)  # the program that calls, where it has told its name
CALLER: ContextVar[Caller] = ContextVar("caller", default=OWNER)
AGENT: ContextVar[bool] = ContextVar(
    "agent", default=False
)  # an agent calls: its words are its own unless it says whose
LOOKING: ContextVar[bool] = ContextVar(
    "looking", default=False
)  # a person only looks on: nothing is counted as retrieved


def require(ns: str, need: str) -> None:
    """Refuse an operation that the caller may not do, without revealing what exists."""
    if not CALLER.get().may(ns, need):
        space = ns or "all namespaces"
        raise ForbiddenError(f"this token may not {need} in {space}", grant_hint(need))


def grant_hint(need: str, instruction: str = "") -> str:
    """Return where the caller has a scope, for a hint, and what to do with these names."""
    names = [
        space for space, scope in CALLER.get().grants if SCOPES.index(scope) >= SCOPES.index(need)
    ]
    if not names:
        return f"it may {need} in no namespace: use a token with that grant"
    more = " and others" if len(names) > MAX_NAMED else ""
    return f"it may {need} in {', '.join(names[:MAX_NAMED])}{more}{instruction}"
