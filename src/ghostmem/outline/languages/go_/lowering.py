"""Lower Go syntax to a small tree of lists that survives JSON and is typed when linking.

Types and expressions share their tags, because Go's syntax does not tell them apart:
  ["i", name, line]  [".", x, name, line]  ["(", f, args]  ["[", x, args]  [":", x]  ["*", x]  ["u",
  op, x]  ["b", op, operands] ["as", x, type]  ["{", type|None, [[key|None, value]]]  ["fl",
  signature, statements]  ["#", kind]  ["?"] ["[]", elem]  ["[n", elem, length]  ["m", key, elem]
  ["ch", elem]  ["fn", params, results, variadic]  ["~", type] ["st", [[names, type, embedded]]]
  ["if", [["M", name, signature, line] | ["U", types]]]
Statements: ["D", names, exprs]  ["V", names, type|None, exprs]  ["A", op, lefts, rights]  ["E",
exprs]  ["B", statements]
  ["R", defines, lefts, x, statements]  ["S", name, x, [[types, statements]]]  ["T", name, params,
  type, alias]
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ghostmem.outline.languages.shared.syntax import SourceText

if TYPE_CHECKING:
    from tree_sitter import Node

Tree = list[Any]
Expression = Callable[["Lowering", "Node"], Tree]
Statement = Callable[["Lowering", "Node"], list[Tree]]

MAX_LEVELS = 180  # levels of syntax; deeper parts are left out and their lines reported
STATEMENT = (
    2  # levels that a statement counts for: walking one needs twice the stack of an expression
)
_NAMES = frozenset(
    ["identifier", "type_identifier", "package_identifier", "field_identifier", "blank_identifier"]
)
_LISTS = frozenset(["expression_list", "argument_list", "type_arguments"])
_UNKNOWN: Tree = ["?"]
_LITERALS: dict[str, Tree] = {
    "int_literal": ["#", "int"],
    "float_literal": ["#", "float64"],
    "imaginary_literal": ["#", "complex128"],
    "rune_literal": ["#", "rune"],
    "interpreted_string_literal": ["#", "string"],
    "raw_string_literal": ["#", "string"],
    "true": ["#", "bool"],
    "false": ["#", "bool"],
    "nil": ["#", "nil"],
    "iota": ["#", "int"],
}


class Lowering(SourceText):
    """Lowers the parts of one file; `cut` has the lines of parts that are nested too deeply."""

    def __init__(
        self,
        source: bytes,
        expressions: Mapping[str, Expression],
        statements: Mapping[str, Statement],
    ) -> None:
        super().__init__(source)
        self._expressions = expressions
        self._statements = statements
        self.cut: list[int] = []
        self._depth = 0

    def expr(self, node: "Node | None", kind: str = "") -> Tree:
        """Lower an expression or a type; `kind` is that of its node, where the caller knows it."""
        if node is None:
            return _UNKNOWN
        kind = kind or node.type
        if kind in _NAMES:
            start = node.start_byte
            raw = self.source[start : node.end_byte]
            name = self.words.get(raw) or self.text(node)
            return ["i", name, bisect_left(self.breaks, start) + 1]
        handler = self._expressions.get(kind)
        if handler is None:
            return _LITERALS.get(kind, _UNKNOWN)
        if self._depth >= MAX_LEVELS:
            self.cut.append(self.line(node.start_byte))
            return _UNKNOWN
        self._depth += 1
        found = handler(self, node)
        self._depth -= 1
        return found

    def exprs(self, node: "Node | None") -> list[Tree]:
        """Lower an expression list, or one expression."""
        if node is None:
            return []
        kind = node.type
        if kind not in _LISTS:
            return [self.expr(node, kind)]
        return [
            self.expr(one, kind) for one in node.named_children if (kind := one.type) != "comment"
        ]

    def inner(self, node: "Node") -> Tree:
        """Lower the node inside a node."""
        first = node.named_child(0)
        if first is not None and first.type == "comment":
            first = next((one for one in node.named_children if one.type != "comment"), None)
        return self.expr(first)

    def optional(self, node: "Node | None") -> Tree | None:
        """Lower a node that may be missing."""
        return None if node is None else self.expr(node)

    def signature(self, node: "Node") -> Tree:
        """Lower parameters and results: of a function, a method, a literal, or a function type."""
        params, variadic = self.params(node.child_by_field_name("parameters"))
        result = node.child_by_field_name("result")
        if result is None:
            results: list[Tree] = []
        elif result.type == "parameter_list":
            results, _ = self.params(result)
        else:
            results = [["", self.expr(result)]]
        return ["fn", params, results, variadic]

    def params(self, node: "Node | None") -> tuple[list[Tree], int]:
        """Lower a parameter list to pairs of name and type, and whether the last one is
        variadic.
        """
        found: list[Tree] = []
        variadic = 0
        for one in node.named_children if node is not None else ():
            if one.type not in {"parameter_declaration", "variadic_parameter_declaration"}:
                continue
            declared = self.expr(one.child_by_field_name("type"))
            if one.type == "variadic_parameter_declaration":
                variadic, declared = 1, ["[]", declared]
            names = one.children_by_field_name("name")
            found.extend([self.text(name), declared] for name in names)
            if not names:
                found.append(["", declared])
        return found, variadic

    def type_params(self, node: "Node | None") -> list[Tree]:
        """Lower type parameters to pairs of name and constraint."""
        found: list[Tree] = []
        for one in node.named_children if node is not None else ():
            if one.type == "type_parameter_declaration":
                constraint = self.expr(one.child_by_field_name("type"))
                found.extend(
                    [self.text(name), constraint] for name in one.children_by_field_name("name")
                )
        return found

    def block(self, node: "Node | None") -> list[Tree]:
        """Lower the statements below a block, a case or a statement list."""
        found: list[Tree] = []
        for one in node.named_children if node is not None else ():
            found.extend(self.statement(one))
        return found

    def statement(self, node: "Node | None") -> list[Tree]:
        """Lower one statement to none, one, or several."""
        if node is None:
            return []
        kind = node.type
        handler = self._statements.get(kind)
        if handler is None:
            if kind == "statement_list":
                return self.block(node)
            return [["E", [self.expr(node, kind)]]] if kind in self._expressions else []
        if self._depth >= MAX_LEVELS:
            self.cut.append(self.line(node.start_byte))
            return []
        self._depth += STATEMENT
        found = handler(self, node)
        self._depth -= STATEMENT
        return found
