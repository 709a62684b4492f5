"""Rust: expressions as plain data, and the names that patterns bind to their parts."""

from tree_sitter import Node

from ghostmem.outline.languages.rust_.syntax import path_of, type_of
from ghostmem.outline.languages.shared.postorder import UNKNOWN, Walk

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
LITERALS = {
    "string_literal": "str",
    "raw_string_literal": "str",
    "char_literal": "char",
    "boolean_literal": "bool",
}


class ShapeWalk(Walk):
    """Build expressions and patterns."""

    def of(self, node: Node | None) -> int:
        """Return the expression of a node that was visited, as far as it is understood."""
        if node is None:
            return UNKNOWN
        if node.id not in self.seen:
            self.seen[node.id] = UNKNOWN
            self.seen[node.id] = self.shape(node)
        return self.seen[node.id]

    def shape(self, node: Node, depth: int = 0) -> int:
        """Build the expression of a node."""
        kind = node.type
        if depth > 60:
            return UNKNOWN
        if node.id in self.seen and self.seen[node.id] != UNKNOWN:
            return self.seen[node.id]
        first = (
            next((kid for kid in node.named_children if kid.type != "mutable_specifier"), None)
            if node.child_count
            else None
        )
        match kind:
            case "self":
                return self.expr("self", self.owner)
            case "identifier" | "scoped_identifier" | "generic_function":
                return self.path(node)
            case "closure_expression":
                return self.expr("closure")
            case "field_expression":
                value = node.child_by_field_name("value")
                inner = self.shape(value, depth + 1) if value is not None else UNKNOWN
                return self.expr("member", inner, self.name(node.child_by_field_name("field")))
            case "type_cast_expression" | "struct_expression":
                typed = node.child_by_field_name("type" if kind.startswith("type") else "name")
                return self.expr("as", type_of(self, typed), self.owner)
            case "tuple_expression":
                parts = [self.shape(one, depth + 1) for one in node.named_children]
                return self.expr("tuple", parts)
        if kind in LITERALS:
            return self.expr("as", ["path", [LITERALS[kind]], []], self.owner)
        if kind in SAME or kind in WRAPS:
            inner = self.shape(first, depth + 1) if first is not None else UNKNOWN
            known = first is not None or kind == "array_expression"
            return self.expr(WRAPS[kind], inner) if kind in WRAPS and known else inner
        return self.branches(node, depth + 1)

    def branches(self, node: Node, depth: int) -> int:
        """Build the expression of a block, a condition or a match: what its branches come to."""
        ends: list[Node | None] = []
        match node.type:
            case "block":
                last = node.named_children[-1] if node.named_children else None
                known = last is not None and last.type not in STATEMENTS
                return self.shape(last, depth) if last is not None and known else UNKNOWN
            case "if_expression":
                names = ("consequence", "alternative")
                ends = [node.child_by_field_name(name) for name in names]
            case "else_clause":
                ends = [next(iter(node.named_children), None)]
            case "match_expression":
                body = node.child_by_field_name("body")
                arms = body.named_children if body is not None else []
                ends = [arm.child_by_field_name("value") for arm in arms if arm.type == "match_arm"]
        found = [
            at for one in ends if one is not None and (at := self.shape(one, depth)) != UNKNOWN
        ]
        return self.expr("first", found) if found else UNKNOWN

    def path(self, node: Node) -> int:
        """Build the expression of a path."""
        if node.type == "generic_function":
            inner = node.child_by_field_name("function")
            return self.shape(inner) if inner is not None else UNKNOWN
        front = node.child_by_field_name("path")
        if front is not None and front.type == "bracketed_type":
            held = next(iter(front.named_children), None)
            qualified = held is not None and held.type == "qualified_type"
            kind = held.child_by_field_name("type") if qualified and held is not None else held
            trait = held.child_by_field_name("alias") if qualified and held is not None else None
            return self.expr(
                "qpath",
                type_of(self, kind),
                type_of(self, trait),
                self.name(node.child_by_field_name("name")),
                self.owner,
            )
        segs = path_of(self, node)
        given = type_of(self, front) if front is not None and front.type == "generic_type" else None
        return self.expr("path", segs, given[2] if given else [], self.owner) if segs else UNKNOWN

    # patterns

    def pattern(self, node: Node, source: int, depth: int = 0) -> None:
        """Bind the names of a pattern; a capitalised name is a constant or a variant."""
        kind = node.type
        if depth > 40:
            return
        match kind:
            case "identifier" | "shorthand_field_identifier":
                name = self.name(node)
                if name[:1].isupper():
                    self.ref("accesses", node, {"value": [name], "maybe": True})
                else:
                    self.bind(name, None, source)
            case "scoped_identifier" | "scoped_type_identifier":
                self.read(node, "accesses")
            case "tuple_struct_pattern" | "struct_pattern":
                self.parts(node, source, depth)
            case "tuple_pattern" | "slice_pattern":
                for at, one in enumerate(node.named_children):
                    part = ("item", source, at) if kind == "tuple_pattern" else ("elem", source)
                    self.pattern(one, self.expr(*part), depth + 1)
            case _ if kind != "closure_expression" and not kind.endswith("literal"):
                for one in node.named_children:
                    if one.type != "mutable_specifier":
                        self.pattern(one, source, depth + 1)

    def parts(self, node: Node, source: int, depth: int) -> None:
        """Bind what a struct or variant is taken apart into."""
        typed = node.child_by_field_name("type")
        segs = path_of(self, typed) if typed is not None else None
        if segs and typed is not None:
            self.ref("uses", typed, {"path": segs, "variant": True})
        number = 0
        for one in node.named_children:
            if one == typed:
                continue
            if one.type == "field_pattern":
                name, inner = one.child_by_field_name("name"), one.child_by_field_name("pattern")
                part = self.expr("part", source, segs or [], self.name(name), self.owner)
                if (target := inner or name) is not None:
                    self.pattern(target, part, depth + 1)
            elif one.type != "remaining_field_pattern":
                self.pattern(
                    one, self.expr("part", source, segs or [], str(number), self.owner), depth + 1
                )
                number += 1

    def read(self, node: Node, *kinds: str) -> None:
        """Record the use of a value by its name or path, unless it is a local."""
        if node.type == "identifier" and (at := self.local(self.name(node))) is not None:
            self.seen[node.id] = self.expr("local", at)
            return
        path = path_of(self, node)
        for kind in kinds if path else ():
            self.ref(kind, node, {"value": path})
