"""Walk the syntax tree of a JavaScript or TypeScript file, and gather its facts."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tree_sitter import Node

from ghostmem.outline.facts import FILE, Import, Ref, Symbol
from ghostmem.outline.languages.shared.syntax import (
    MAX_SYMBOL_DEPTH,
    digest,
    line_of,
    short,
    text_of,
)

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
    """The facts of a file while its tree is walked.

    They are plain data, in lists that begin with their sort, mostly one letter, because Python
    shares strings of one letter:

    - `rows` are expressions; their operands are other rows, names, terms and scopes,
    - `scopes` are [parent, `this`, names]; `this` is that of a class (c), an object (o), a written
      type (t), unknown (?), or None for that of the scope around,
    - names have bindings: an import (i), a symbol (s), a type parameter (t), or a value (v) with
      its type and row; the name of a type begins with ^.
    """

    source: bytes
    symbols: list[Symbol] = field(default_factory=list)
    scopes: list[list[Any]] = field(default_factory=lambda: [[-1, None, {}]])
    rows: list[list[Any]] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    refs: list[Ref] = field(default_factory=list)
    functions: list[dict[str, Any]] = field(default_factory=list)
    exports: dict[str, list[Any]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    row_of: dict[int, int] = field(default_factory=dict)  # node: its row
    function_of: dict[int, int] = field(default_factory=dict)  # node: its place in `functions`
    class_of: dict[int, int] = field(default_factory=dict)  # node: its symbol
    # symbol: how many symbols it is inside of
    depths: dict[int, int] = field(default_factory=lambda: {FILE: 0})
    cut: set[int] = field(default_factory=set)  # lines of nodes inside of too many symbols
    # assignments to members, which are declared after everything else
    assignments: list[Step] = field(default_factory=list)
    modules: set[int] = field(default_factory=lambda: {0})  # the scopes whose variables are symbols
    bodies: dict[int, int] = field(default_factory=dict)  # scope: the function it is the body of
    # by scope and name: overloads that come before the function itself
    overloads: dict[tuple[int, str], list[Node]] = field(default_factory=dict)

    def run(self, handlers: "Mapping[str, Handler]", steps: list[Step]) -> None:
        """Take steps in the order of the source, without recursion.

        Of a node without a handler the children are walked. Nodes inside of too many symbols are
        left out, and their lines recorded.
        """
        stack = steps[::-1]
        while stack:
            node, scope, owner = stack.pop()
            if self.depths[owner] > MAX_SYMBOL_DEPTH:
                self.cut.add(line_of(node))
                continue
            handler = handlers.get(node.type)
            if handler is None:
                stack.extend([(child, scope, owner) for child in reversed(node.named_children)])
            elif following := handler(self, node, scope, owner):
                stack.extend(reversed(following))

    def function_at(self, scope: int) -> int:
        """Return the function that a scope is in, -1 if it is in none."""
        while scope >= 0 and scope not in self.bodies:
            scope = self.scopes[scope][0]
        return self.bodies.get(scope, -1)

    def names_at(self, scope: int, name: str) -> Any:
        """Return the bindings of a name in a scope or around it, None if it is not bound."""
        while scope >= 0:
            if name in self.scopes[scope][2]:
                return self.scopes[scope][2][name]
            scope = self.scopes[scope][0]
        return None

    def new_scope(self, parent: int, this: Any = None) -> int:
        """Open a scope and return its number."""
        self.scopes.append([parent, this, {}])
        return len(self.scopes) - 1

    def bind(self, scope: int, name: str, binding: list[Any]) -> None:
        """Add a binding to a name in a scope."""
        bindings = self.scopes[scope][2].setdefault(name, [])
        if binding not in bindings:
            bindings.append(binding)

    def row(self, *values: Any) -> int:
        """Add an expression and return its number."""
        self.rows.append(list(values))
        return len(self.rows) - 1

    def reference(self, kind: str, owner: int, node: Node, detail: Any) -> None:
        """Record a reference."""
        self.refs.append(Ref(kind, owner, short(node), line_of(node), detail))

    def module_import(self, node: Node, path: str, name: str, alias: str, owner: int = FILE) -> int:
        """Record an import and return its number; the name is `*` for the whole module."""
        self.imports.append(Import(path, line_of(node), owner, name, alias, name == "*"))
        return len(self.imports) - 1

    def add_symbol(self, name: str, kind: str, parent: int, node: Node, **detail: Any) -> int:
        """Add a symbol and return its number."""
        first_line = (node.text or b"")[:400].decode("utf-8", "replace").split("\n", 1)[0].strip()
        self.depths[len(self.symbols)] = self.depths[parent] + 1
        self.symbols.append(
            Symbol(
                name,
                kind,
                parent,
                line_of(node),
                node.end_point[0] + 1,
                node.start_byte,
                node.end_byte,
                first_line.removesuffix("{").rstrip()[:200],
                detail,
                body=digest(self.source, node),
            )
        )
        return len(self.symbols) - 1

    def declare_type(
        self, name: str, kind: str, parent: int, node: Node, scope: int, value: bool
    ) -> int:
        """Declare a type; `value` says that it exists when the program runs."""
        symbol = self.add_symbol(name, kind, parent, node)
        self.bind_type(scope, name, symbol, value)
        return symbol

    def bind_type(self, scope: int, name: str, symbol: int, value: bool = True) -> None:
        """Bind the name of a type, also as a value if it is one."""
        self.bind(scope, "^" + name, ["s", symbol])
        if value:
            self.bind(scope, name, ["s", symbol])


Handler = Callable[[EcmaWalk, Node, int, int], list[Step]]


def fields(node: Node, names: Iterable[str], scope: int, owner: int) -> list[Step]:
    """Return the steps to some fields of a node."""
    found = map(node.child_by_field_name, names)
    return [(child, scope, owner) for child in found if child]


def inside(node: Node | None, scope: int, owner: int, *types: str) -> list[Step]:
    """Return the steps to the children of a node, of all or of some types."""
    nodes = node.named_children if node else []
    return [(child, scope, owner) for child in nodes if not types or child.type in types]


def only(*names: str) -> Handler:
    """Return a handler that walks some fields of a node."""
    return lambda _walk, node, scope, owner: fields(node, names, scope, owner)


def nothing(_walk: EcmaWalk, _node: Node, _scope: int, _owner: int) -> list[Step]:
    """Leave a node out."""
    return []


def child_of_type(node: Node, types: Collection[str]) -> Node | None:
    """Return the first child of one of some types."""
    return next((child for child in node.named_children if child.type in types), None)


def name_of(node: Node) -> str:
    """Return the source of the field `name` of a node, an empty text without one."""
    return text_of(node.child_by_field_name("name"))


def dotted(node: Node | None) -> str:
    """Return a dotted name without blanks."""
    return short(node).replace(" ", "")


def string_value(node: Node | None) -> str:
    """Return the content of a string literal, an empty text for other nodes."""
    return text_of(node)[1:-1] if node and node.type in {"string", "template_string"} else ""


def key_of(node: Node | None) -> str:
    """Return the name of a property, an empty text if it is computed."""
    if node is None or node.type == "computed_property_name":
        return ""
    return string_value(node) if node.type == "string" else short(node)
