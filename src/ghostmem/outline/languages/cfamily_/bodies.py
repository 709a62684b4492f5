"""C and C++: declarations in the bodies of functions: locals, parameters, lambdas."""

from collections.abc import Sequence
from typing import Any

from tree_sitter import Node

from ghostmem.outline.languages.cfamily_.expressions import ExpressionWalk
from ghostmem.outline.languages.cfamily_.syntax import (
    INITIALISERS,
    Declared,
    arguments_in,
    declared,
    is_named,
    parameters_of,
    type_of,
)
from ghostmem.outline.languages.shared.postorder import UNKNOWN, Step, present

MAX_DECLARATORS = 40  # inside each other


class CppBodyWalk(ExpressionWalk):
    """Bind the names that are declared inside functions."""

    def hold(self, name: str, kind: Any, value: int) -> None:
        """Bind a local."""
        at = self.bind(name, kind, value)
        self.bindings[at][0] = self.context()

    def locals(self, node: Node) -> list[Step]:
        """Bind the locals of a declaration, each after its value was visited."""
        typed = node.child_by_field_name("type")
        kind = type_of(self, typed)
        steps: list[Step] = present(typed)
        for one in node.children_by_field_name("declarator"):
            steps += self.one_local(one, kind, node)
        return steps

    def one_local(self, one: Node, kind: Any, whole: Node) -> list[Step]:
        """Bind one local; a value in parentheses or braces calls the constructor of its type."""
        value = one.child_by_field_name("value") if one.type == "init_declarator" else None
        found = declared(self, one)

        def bind() -> None:
            if found is None:
                return
            if is_named(kind) and not _is_indirect(one):
                self.constructed(found, value, kind, whole)
            if kind is None or kind == ["auto"]:
                self.structured(one)
                self.hold(found.path[-1], None, self.of(value))
            else:
                self.hold(found.path[-1], kind if not found.pointer else None, UNKNOWN)

        return [*present(value), bind]

    def constructed(self, found: Declared, value: Node | None, kind: Any, whole: Node) -> None:
        """Record the constructor that a declaration calls."""
        if found.function is not None:
            if count := self.vexing(found.function):
                self.made(kind, count, whole, maybe=False)
        elif value is None or value.type in INITIALISERS:
            maybe = value is None or value.type == "initializer_list"
            self.made(kind, len(arguments_in(value)), whole, maybe=maybe)

    def structured(self, one: Node) -> None:
        """Bind the names of `auto [a, b]`; their types are not inferred."""
        inner = one.child_by_field_name("declarator") if one.type == "init_declarator" else one
        if inner is not None and inner.type == "structured_binding_declarator":
            for kid in inner.named_children:
                self.hold(self.name(kid), None, UNKNOWN)

    def vexing(self, function: Node) -> int:
        """Return how many locals a "parameter list" names: then it is the arguments of a
        constructor.
        """
        nodes, _, types = parameters_of(self, function)
        has_names = any(one.child_by_field_name("declarator") is not None for one in nodes)
        is_call = not has_names and all(self.local(one) is not None for one in types)
        return len(nodes) if is_call else 0

    def visit_for_range_loop(self, node: Node) -> list[Step]:
        """Bind the variable of a loop to the elements of its range."""
        typed, right = node.child_by_field_name("type"), node.child_by_field_name("right")
        found = node.child_by_field_name("declarator")

        def bind() -> None:
            kind, one = type_of(self, typed), declared(self, found)
            if one is not None:
                self.hold(
                    one.path[-1],
                    None if kind == ["auto"] else kind,
                    self.expr("elem", self.of(right)),
                )
            elif found is not None:
                self.structured(found)

        return [
            self.push,
            *present(typed, right),
            bind,
            *present(node.child_by_field_name("body")),
            self.pop,
        ]

    def visit_catch_clause(self, node: Node) -> list[Step]:
        """Bind the caught exception."""
        given = node.child_by_field_name("parameters")
        return [
            self.push,
            *self.parameters(given.named_children if given else []),
            *present(node.child_by_field_name("body")),
            self.pop,
        ]

    def visit_lambda_expression(self, node: Node) -> list[Step]:
        """Visit a lambda with its parameters; its body belongs to the function around it."""
        head = node.child_by_field_name("declarator")
        nodes, _, _ = parameters_of(self, head)
        return [
            self.push,
            *present(node.child_by_field_name("captures")),
            *self.parameters(nodes),
            *self.during("function", True, present(node.child_by_field_name("body"))),
            self.pop,
        ]

    def visit_lambda_capture_initializer(self, node: Node) -> list[Step]:
        """Bind `[name = value]`."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")

        def bind() -> None:
            if left is not None:
                self.hold(self.name(left), None, self.of(right))

        return [*present(right), bind]

    def parameters(self, nodes: Sequence[Node]) -> list[Step]:
        """Visit the types of parameters and bind their names."""
        steps: list[Step] = []
        for one in nodes:
            typed = one.child_by_field_name("type")

            def bind(one: Node = one, typed: Node | None = typed) -> None:
                found = declared(self, one.child_by_field_name("declarator"))
                if one.type == "identifier":
                    self.hold(self.name(one), None, UNKNOWN)
                elif found is not None:
                    kind = type_of(self, typed)
                    self.hold(
                        found.path[-1], None if found.pointer or kind == ["auto"] else kind, UNKNOWN
                    )

            steps += [*present(typed, one.child_by_field_name("default_value")), bind]
        return steps


def _is_indirect(node: Node) -> bool:
    """Tell whether a declarator declares a pointer or a reference."""
    declarator: Node | None = node
    for _ in range(MAX_DECLARATORS):
        if declarator is None or declarator.type.startswith(("pointer", "reference")):
            break
        declarator = declarator.child_by_field_name("declarator")
    return declarator is not None and declarator.type.startswith(("pointer", "reference"))
