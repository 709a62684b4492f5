"""The walk over a file of JavaScript or TypeScript: what it gathers, and the steps it takes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tree_sitter import Node

from ghostmem.outline.facts import FILE, Import, Ref, Symbol
from ghostmem.outline.languages.shared.syntax import DEEPEST, digest, line_of, short, text_of

UNKNOWN = -1  # an expression of which nothing is known
FUNCTIONS = {
    "function_declaration",
    "generator_function_declaration",
    "function_expression",
    "generator_function",
    "arrow_function",
    "method_definition",
    "function_signature",
    "method_signature",
    "abstract_method_signature",
    "function",
    "construct_signature",
    "call_signature",
}
CLASSES = {"class_declaration", "abstract_class_declaration", "class"}

Step = tuple[Node, int, int]  # a node, its scope and its owner


@dataclass(slots=True)
class EcmaWalk:
    """What is gathered from one file, and what the walk must remember.

    `scopes` are [parent, what `this` is in it, names].
    """

    source: bytes
    symbols: list[Symbol] = field(default_factory=list)
    scopes: list[list[Any]] = field(default_factory=lambda: [[-1, None, {}]])
    rows: list[list[Any]] = field(default_factory=list)  # expressions
    imports: list[Import] = field(default_factory=list)
    refs: list[Ref] = field(default_factory=list)
    functions: list[dict[str, Any]] = field(default_factory=list)
    exports: dict[str, list[Any]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    seen: dict[int, int] = field(default_factory=dict)  # node: its row
    known: dict[int, int] = field(default_factory=dict)  # node of a function: its record
    named: dict[int, int] = field(default_factory=dict)  # node of a declaration: its symbol
    # symbol: how many it is inside of
    depths: dict[int, int] = field(default_factory=lambda: {FILE: 0})
    cut: set[int] = field(default_factory=set)  # lines of what is inside of too many
    late: list[Step] = field(default_factory=list)
    modules: set[int] = field(default_factory=lambda: {0})  # the scopes whose variables are symbols
    bodies: dict[int, int] = field(default_factory=dict)  # scope: the function it is the body of
    # overloads waiting for their last
    pending: dict[tuple[int, str], list[Node]] = field(default_factory=dict)

    def run(self, handlers: "Mapping[str, Handler]", steps: list[Step]) -> None:
        """Take steps in the order of the source, without recursion.

        A kind of node that no handler takes is walked through. What is inside of too many symbols
        is left out, and its line noted.
        """
        stack = steps[::-1]
        while stack:
            node, scope, owner = stack.pop()
            if self.depths[owner] > DEEPEST:
                self.cut.add(line_of(node))
                continue
            handler = handlers.get(node.type)
            if handler is None:
                stack.extend([(one, scope, owner) for one in reversed(node.named_children)])
            elif following := handler(self, node, scope, owner):
                stack.extend(reversed(following))

    def function_at(self, scope: int) -> int:
        """Return the function that a scope is in, -1 when in none."""
        while scope >= 0 and scope not in self.bodies:
            scope = self.scopes[scope][0]
        return self.bodies.get(scope, -1)

    def names_at(self, scope: int, name: str) -> list[Any] | None:
        """Return what a name is bound to in a scope or around it, None when it is nowhere."""
        while scope >= 0:
            if name in self.scopes[scope][2]:
                found: list[Any] = self.scopes[scope][2][name]
                return found
            scope = self.scopes[scope][0]
        return None

    def new_scope(self, parent: int, body: Any = None) -> int:
        """Open a scope and return its number."""
        self.scopes.append([parent, body, {}])
        return len(self.scopes) - 1

    def bind(self, scope: int, name: str, what: list[Any]) -> None:
        """Give a name a meaning in a scope; several stay several."""
        rows = self.scopes[scope][2].setdefault(name, [])
        if what not in rows:
            rows.append(what)

    def row(self, *values: Any) -> int:
        """Add an expression and return its number."""
        self.rows.append(list(values))
        return len(self.rows) - 1

    def reference(self, kind: str, owner: int, node: Node, detail: Any) -> None:
        """Record a place that names something."""
        self.refs.append(Ref(kind, owner, short(node), line_of(node), detail))

    def module_import(self, node: Node, path: str, name: str, alias: str, owner: int = FILE) -> int:
        """Record an import and return its number; the name is `*` for the whole module."""
        self.imports.append(Import(path, line_of(node), owner, name, alias, name == "*"))
        return len(self.imports) - 1

    def add_symbol(self, name: str, kind: str, parent: int, node: Node, **detail: Any) -> int:
        """Add a symbol and return its number."""
        number = len(self.symbols)
        head = (node.text or b"")[:400].decode("utf-8", "replace").split("\n", 1)[0].strip()
        lines = line_of(node), node.end_point[0] + 1
        place = node.start_byte, node.end_byte
        signature = head.removesuffix("{").rstrip()[:200]
        body = digest(self.source, node)
        self.depths[number] = self.depths[parent] + 1
        self.symbols.append(
            Symbol(name, kind, parent, *lines, *place, signature, detail, body=body)
        )
        return number

    def declare_type(
        self, name: str, kind: str, parent: int, node: Node, scope: int, value: bool
    ) -> int:
        """Declare a type; `value` says that it is there when the program runs."""
        sym = self.add_symbol(name, kind, parent, node)
        self.bind(scope, "^" + name, ["s", sym])
        if value:
            self.bind(scope, name, ["s", sym])
        return sym


Handler = Callable[[EcmaWalk, Node, int, int], list[Step]]


def fields(node: Node, names: Iterable[str], scope: int, owner: int) -> list[Step]:
    """Return the steps to some fields of a node."""
    found = (node.child_by_field_name(name) for name in names)
    return [(one, scope, owner) for one in found if one]


def inside(node: Node, scope: int, owner: int) -> list[Step]:
    """Return the steps to all that a node holds."""
    return [(one, scope, owner) for one in node.named_children]


def only(*names: str) -> Handler:
    """Return a handler that walks some fields of a node."""
    return lambda _walk, node, scope, owner: fields(node, names, scope, owner)


def nothing(_walk: EcmaWalk, _node: Node, _scope: int, _owner: int) -> list[Step]:
    """Leave a node out."""
    return []


def string_value(node: Node | None) -> str:
    """Return what a string literal says, without its quotes."""
    return text_of(node)[1:-1] if node and node.type in {"string", "template_string"} else ""


def key_of(node: Node | None) -> str:
    """Return the name of a property, or nothing when it is computed."""
    if node is None or node.type == "computed_property_name":
        return ""
    return string_value(node) if node.type == "string" else short(node)
