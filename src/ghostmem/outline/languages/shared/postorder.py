"""Walk a syntax tree without recursion, keeping scopes and a flat table of expressions.

Rust and the C family build on it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from tree_sitter import Node

from ghostmem.outline.facts import FILE, Facts, Import, Ref, Symbol
from ghostmem.outline.languages.shared.syntax import (
    MAX_SYMBOL_DEPTH,
    SourceText,
    digest,
    error_places,
)

Step = Node | Callable[[], None]
Visit = Callable[[Node], Sequence[Step]]
UNKNOWN = -1  # an expression of which nothing is known
MAX_TEXT = 160  # of a signature or a reference as written


class Walk(SourceText):
    """Collect the facts of one file.

    A visitor is a method `visit_<kind of node>`. It returns the next steps: nodes to visit and
    functions to run between them. Kinds of nodes that need no method stand in tables.
    """

    silent: ClassVar[Sequence[str]] = ()  # kinds of nodes that are left out
    scoped: ClassVar[Sequence[str]] = ()  # those that are a scope of their own
    # those of which only some fields count
    visited_fields: ClassVar[Mapping[str, Sequence[str]]] = {}
    same: ClassVar[Mapping[str, str]] = {}  # those that are visited as another kind

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.facts = Facts()
        self.exprs: list[list[Any]] = []
        self.bindings: list[list[Any]] = []
        self.scopes: list[dict[str, int]] = [{}]
        self.owner = FILE
        self.depths = {FILE: 0}  # symbol: how many it is inside of
        self.cut: set[int] = set()  # lines of nodes inside too many symbols
        self.seen: dict[int, int] = {}  # node id: index of its expression
        self.visitors: dict[str, Visit] = {
            **dict.fromkeys(self.silent, _leave_out),
            **dict.fromkeys(self.scoped, self.own_scope),
            **{
                kind: partial(fields_of, names=names) for kind, names in self.visited_fields.items()
            },
        }
        for name in dir(self):
            if name.startswith("visit_"):
                self.visitors[name.removeprefix("visit_")] = getattr(self, name)
        for kind, other in self.same.items():
            self.visitors[kind] = self.visitors[other]

    def run(self, root: Node) -> None:
        """Visit the whole tree in the order of the source.

        Nodes inside too many symbols are left out.
        """
        stack: list[Step] = [root]
        while stack:
            step = stack.pop()
            if not isinstance(step, Node):
                step()
                continue
            if self.depths[self.owner] > MAX_SYMBOL_DEPTH:
                self.cut.add(self.line(step.start_byte))
                continue
            visitor = self.visitors.get(step.type)
            following = step.named_children if visitor is None else visitor(step)
            if following:
                stack.extend(reversed(following))

    def text(self, node: Node | None) -> str:
        """Return the source of a node, on one line and of bounded length."""
        if node is None:
            return ""
        raw = self.source[node.start_byte : min(node.end_byte, node.start_byte + 4 * MAX_TEXT)]
        return " ".join(raw.decode("utf-8", "replace").split())[:MAX_TEXT]

    def name(self, node: Node | None) -> str:
        """Return the source of a name."""
        return (
            ""
            if node is None
            else self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")[:MAX_TEXT]
        )

    def symbol(
        self,
        name: str,
        kind: str,
        parent: int,
        node: Node,
        body: Node | None,
        detail: dict[str, Any],
    ) -> int:
        """Declare a symbol; its signature is the text before its body."""
        stop = body.start_byte if body is not None else node.end_byte
        raw = self.source[node.start_byte : min(stop, node.start_byte + 4 * MAX_TEXT)].decode(
            "utf-8", "replace"
        )
        signature = " ".join(raw.split())[:MAX_TEXT].rstrip(" {;=")
        body_hash = digest(self.source, node)
        start, end = self.line(node.start_byte), self.line(node.end_byte)
        self.facts.symbols.append(
            Symbol(
                name,
                kind,
                parent,
                start,
                end,
                node.start_byte,
                node.end_byte,
                signature,
                detail,
                body=body_hash,
            )
        )
        self.depths[len(self.facts.symbols) - 1] = self.depths[parent] + 1
        return len(self.facts.symbols) - 1

    def ref(self, kind: str, node: Node, detail: Any, owner: int | None = None) -> None:
        """Record a reference as written."""
        who = self.owner if owner is None else owner
        self.facts.refs.append(Ref(kind, who, self.text(node), self.line(node.start_byte), detail))

    def bring(
        self,
        path: str,
        node: Node,
        name: str = "",
        alias: str = "",
        *,
        star: bool = False,
        detail: Any = None,
    ) -> None:
        """Record an import."""
        self.facts.imports.append(
            Import(path, self.line(node.start_byte), self.owner, name, alias, star, detail)
        )

    def expr(self, *parts: Any) -> int:
        """Add an expression to the table."""
        self.exprs.append(list(parts))
        return len(self.exprs) - 1

    def bind(self, name: str, kind: Any, value: int) -> int:
        """Bind a local name to a type, a value, or neither."""
        self.bindings.append([self.owner, kind, value])
        self.scopes[-1][name] = len(self.bindings) - 1
        return len(self.bindings) - 1

    def local(self, name: str) -> int | None:
        """Return the binding of a name here."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def push(self) -> None:
        """Open a scope."""
        self.scopes.append({})

    def pop(self) -> None:
        """Close a scope."""
        self.scopes.pop()

    def own_scope(self, node: Node) -> list[Step]:
        """Visit the children of a node in a scope of their own."""
        return [self.push, *node.named_children, self.pop]

    def during(self, name: str, value: Any, steps: Sequence[Step]) -> list[Step]:
        """Return steps that run while an attribute of the walk has another value."""
        before: list[Any] = []

        def start() -> None:
            before.append(getattr(self, name))
            setattr(self, name, value)

        def end() -> None:
            setattr(self, name, before.pop())

        return [start, *steps, end]

    def inside(self, owner: int, steps: Sequence[Step], *, fresh: bool = True) -> list[Step]:
        """Return steps that run with another owner, and with no local names from around it when
        `fresh`.
        """
        before: list[tuple[int, list[dict[str, int]]]] = []

        def start() -> None:
            before.append((self.owner, self.scopes))
            self.owner = owner
            self.scopes = [{}] if fresh else [*self.scopes, {}]

        def end() -> None:
            self.owner, self.scopes = before.pop()

        return [start, *steps, end]

    def visit_ERROR(self, node: Node) -> Sequence[Step]:  # noqa: N802 (the grammar's name)
        """Visit the readable parts of a broken one, without its stray names."""
        names = ("identifier", "type_identifier", "field_identifier")
        return [kid for kid in node.named_children if kid.type not in names]

    def finish(self, root: Node, detail: dict[str, Any]) -> Facts:
        """Return the facts."""
        self.facts.detail = {"exprs": self.exprs, "bindings": self.bindings, **detail}
        self.facts.errors = sorted(
            {self.line(byte) for byte in error_places(root, lambda node: node.start_byte)}
            | self.cut
        )
        return self.facts


def present(*nodes: Node | None) -> list[Step]:
    """Return the nodes that are there."""
    return [node for node in nodes if node is not None]


def fields_of(node: Node, names: Sequence[str]) -> list[Step]:
    """Return the fields of a node that are there."""
    return present(*(node.child_by_field_name(name) for name in names))


def _leave_out(_node: Node) -> Sequence[Step]:
    return []
