"""Rust: expressions as plain data, and the names that patterns bind to their parts."""

from collections.abc import Callable, Iterator
from typing import Any

from tree_sitter import Node

from ghostmem.outline.languages.rust_.syntax import arguments_of, path_of, type_of
from ghostmem.outline.languages.shared.postorder import UNKNOWN, Walk
from ghostmem.outline.resolve.types import ARRAY

MAX_NESTING = 60  # expressions inside each other
MAX_PATTERNS = 40  # patterns inside each other
STATEMENTS = frozenset(
    {"expression_statement", "let_declaration", "empty_statement", "line_comment", "block_comment"}
)
SAME = frozenset(
    {
        "parenthesized_expression",
        "reference_expression",
        "unary_expression",
        "unsafe_block",
        "const_block",
    }
)


WRAPS = {
    "try_expression": "try",
    "await_expression": "await",
    "index_expression": "index",
    "array_expression": "array",
}
BRANCHES = {
    "if_expression": ("consequence", "alternative"),
    "match_expression": ("body",),
    "match_arm": ("value",),
}
LITERALS = {
    "string_literal": "str",
    "raw_string_literal": "str",
    "char_literal": "char",
    "boolean_literal": "bool",
}


class ShapeWalk(Walk):
    """Build expressions and patterns."""

    def of(self, node: Node | None, depth: int = 0) -> int:
        """Return the expression of a node that was visited, as far as it is understood."""
        if node is None or depth > MAX_NESTING:
            return UNKNOWN
        if node.id not in self.seen:
            self.seen[node.id] = UNKNOWN
            self.seen[node.id] = self._shape(node, depth)
        return self.seen[node.id]

    def _shape(self, node: Node, depth: int) -> int:
        kind = node.type
        if handler := _SHAPES.get(kind):
            return handler(self, node, depth + 1)
        if kind in SAME or kind in WRAPS:
            children = node.named_children
            first = next((child for child in children if child.type != "mutable_specifier"), None)
            inner = self.of(first, depth + 1)
            if kind == "index_expression" and children[-1].type == "range_expression":
                return self.expr("slice", inner)
            known = first is not None or kind == "array_expression"
            return self.expr(WRAPS[kind], inner) if kind in WRAPS and known else inner
        return self.branches(node, depth + 1)

    def branches(self, node: Node, depth: int) -> int:
        """Build the expression of a block, a condition or a match from its branches."""
        children = node.named_children
        if node.type == "block":
            is_value = bool(children) and children[-1].type not in STATEMENTS
            return self.of(children[-1], depth) if is_value else UNKNOWN
        ends: list[Node | None] = [
            node.child_by_field_name(name) for name in BRANCHES.get(node.type, ())
        ]
        if node.type in ("else_clause", "match_block"):
            ends.extend(children)
        found = [row for end in ends if (row := self.of(end, depth)) != UNKNOWN]
        return self.expr("first", found) if found else UNKNOWN

    def path(self, node: Node, _depth: int) -> int:
        """Build the expression of a path."""
        if node.type == "generic_function":
            return self.of(node.child_by_field_name("function"))
        front = node.child_by_field_name("path")
        if front is not None and front.type == "bracketed_type":
            kind: Node | None = next(iter(front.named_children), None)
            trait: Node | None = None
            if kind is not None and kind.type == "qualified_type":
                kind, trait = (kind.child_by_field_name(name) for name in ("type", "alias"))
            types = type_of(self, kind), type_of(self, trait)
            name = self.name(node.child_by_field_name("name"))
            return self.expr("qpath", *types, name, self.owner)
        segments = path_of(self, node)
        given = arguments_of(self, front) if front is not None else []
        return self.expr("path", segments, given, self.owner) if segments else UNKNOWN

    # patterns

    def pattern(self, node: Node, source: int, depth: int = 0) -> None:
        """Bind the names of a pattern; a capitalised name is a constant or a variant."""
        kind = node.type
        if depth > MAX_PATTERNS:
            return
        match kind:
            case "identifier" | "shorthand_field_identifier":
                name = self.name(node)
                if name[:1].isupper():
                    self.ref("accesses", node, {"path": [name], "space": "value", "maybe": True})
                else:
                    self.bind(name, None, source)
            case "scoped_identifier" | "scoped_type_identifier":
                self.read(node, "accesses")
            case "tuple_struct_pattern" | "struct_pattern":
                self.parts(node, source, depth)
            case "tuple_pattern" | "slice_pattern":
                for place, child in placed(node):
                    part = ("item", source, place) if kind == "tuple_pattern" else ("elem", source)
                    known = self.expr(*part) if place != UNKNOWN else UNKNOWN
                    self.pattern(child, known, depth + 1)
            case _ if kind != "closure_expression" and not kind.endswith("literal"):
                for child in node.named_children:
                    if child.type != "mutable_specifier":
                        self.pattern(child, source, depth + 1)

    def parts(self, node: Node, source: int, depth: int) -> None:
        """Bind the parts that a pattern takes out of a struct or variant."""
        typed = node.child_by_field_name("type")
        segments = path_of(self, typed) or []
        if segments and typed is not None:
            self.ref("uses", typed, {"path": segments, "space": "variant"})
        for place, child in placed(node):
            if child == typed:
                continue
            name = child.child_by_field_name("name") if child.type == "field_pattern" else None
            inner = child.child_by_field_name("pattern") if name is not None else child
            part = self.name(name) if name is not None else str(place)
            taken = self.expr("part", source, segments, part, self.owner)
            self.pattern(inner or name or child, taken, depth + 1)

    def read(self, node: Node, *kinds: str) -> None:
        """Record the use of a value by its name or path, unless it is a local."""
        path = None if self.is_local(node) else path_of(self, node)
        for kind in kinds if path else ():
            self.ref(kind, node, {"path": path, "space": "value"})

    def is_local(self, node: Node) -> bool:
        """Tell whether a node is the name of a local, and remember which."""
        binding = self.local(self.name(node)) if node.type == "identifier" else None
        if binding is not None:
            self.seen[node.id] = self.expr("local", binding)
        return binding is not None


def placed(node: Node) -> Iterator[tuple[int, Node]]:
    """Yield the parts of a list with their places, where `_` has a place but is no part.

    The place of a part after `..` is UNKNOWN."""
    place = 0
    for child in node.children:
        if child.type == "remaining_field_pattern":
            place = UNKNOWN
        elif child.type == "," and place != UNKNOWN:
            place += 1
        elif child.is_named and not child.type.endswith("comment"):
            yield place, child


def _literal(walk: ShapeWalk, node: Node, _depth: int) -> int:
    """Build the expression of a text, a character or a truth value, also one of bytes."""
    is_bytes = walk.source.startswith(b"b", node.start_byte) and node.type != "boolean_literal"
    written: list[Any] = ["path", ["u8" if is_bytes else LITERALS[node.type]], []]
    if is_bytes and node.type != "char_literal":
        written = [ARRAY, [], [written]]
    return walk.expr("as", written, walk.owner)


# by the kind of a node
_SHAPES: dict[str, Callable[[ShapeWalk, Node, int], int]] = {
    **dict.fromkeys(LITERALS, _literal),
    "self": lambda walk, _node, _depth: walk.expr("self", walk.owner),
    "identifier": ShapeWalk.path,
    "scoped_identifier": ShapeWalk.path,
    "generic_function": ShapeWalk.path,
    "closure_expression": lambda walk, _node, _depth: walk.expr("closure"),
    "field_expression": lambda walk, node, depth: walk.expr(
        "member",
        walk.of(node.child_by_field_name("value"), depth),
        walk.name(node.child_by_field_name("field")),
    ),
    "type_cast_expression": lambda walk, node, _depth: walk.expr(
        "as", type_of(walk, node.child_by_field_name("type")), walk.owner
    ),
    "struct_expression": lambda walk, node, _depth: walk.expr(
        "as", type_of(walk, node.child_by_field_name("name")), walk.owner
    ),
    "tuple_expression": lambda walk, node, depth: walk.expr(
        "tuple", [walk.of(child, depth) for _, child in placed(node)]
    ),
}
