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


class CppBodyWalk(ExpressionWalk):
    """Bind the names that are declared inside functions."""

    def hold(self, found: Declared | None, kind: Any, value: int = UNKNOWN) -> None:
        """Bind a local; that of a pointer to a function has no type."""
        if found is not None:
            number = self.bind(found.path[-1], None if found.pointer else kind, value)
            self.bindings[number][0] = self.context()

    def locals(self, node: Node) -> list[Step]:
        """Bind the locals of a declaration, each after its value was visited."""
        typed = node.child_by_field_name("type")
        kind = type_of(self, typed)
        steps: list[Step] = present(typed)
        for declarator in node.children_by_field_name("declarator"):
            steps += self.one_local(declarator, kind, node)
        return steps

    def one_local(self, declarator: Node, kind: Any, whole: Node) -> list[Step]:
        """Bind one local; a value in parentheses or braces calls the constructor of its type."""
        is_value = declarator.type == "init_declarator"
        value = declarator.child_by_field_name("value") if is_value else None
        found = declared(self, declarator)

        def bind() -> None:
            if found is not None and is_named(kind) and not found.is_indirect:
                self.constructed(found, value, kind, whole)
            if kind is None:
                self.structured(declarator)
            self.hold(found, kind, self.of(value) if kind is None else UNKNOWN)

        return [*present(value), bind]

    def constructed(self, found: Declared, value: Node | None, kind: Any, whole: Node) -> None:
        """Record the constructor that a declaration calls."""
        if found.function is not None:
            if count := self.vexing(found.function):
                self.made(kind, count, whole, maybe=False)
        elif value is None or value.type in INITIALISERS:
            maybe = value is None or value.type == "initializer_list"
            self.made(kind, len(arguments_in(value)), whole, maybe=maybe)

    def structured(self, declarator: Node) -> None:
        """Bind the names of `auto [a, b]`; their types are not inferred."""
        inner = declarator.child_by_field_name("declarator") or declarator
        if inner.type == "structured_binding_declarator":
            for name in inner.named_children:
                self.hold(declared(self, name), None)

    def vexing(self, function: Node) -> int:
        """Return how many locals a "parameter list" names: then it is the arguments of a
        constructor.
        """
        nodes, _, types = parameters_of(self, function)
        has_names = any(node.child_by_field_name("declarator") is not None for node in nodes)
        is_call = not has_names and all(self.local(name) is not None for name in types)
        return len(nodes) if is_call else 0

    def visit_for_range_loop(self, node: Node) -> list[Step]:
        """Bind the variable of a loop to the elements of its range."""
        typed, right = node.child_by_field_name("type"), node.child_by_field_name("right")

        def bind() -> None:
            found = declared(self, node.child_by_field_name("declarator"))
            self.hold(found, type_of(self, typed), self.expr("elem", self.of(right)))

        body = node.child_by_field_name("body")
        return [self.push, *present(typed, right), bind, *present(body), self.pop]

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
            self.hold(declared(self, left), None, self.of(right))

        return [*present(right), bind]

    def parameters(self, nodes: Sequence[Node]) -> list[Step]:
        """Visit the types of parameters and bind their names."""
        steps: list[Step] = []
        for node in nodes:
            typed = node.child_by_field_name("type")

            def bind(node: Node = node, typed: Node | None = typed) -> None:
                found = declared(self, node.child_by_field_name("declarator") or node)
                self.hold(found, type_of(self, typed))

            steps += [*present(typed, node.child_by_field_name("default_value")), bind]
        return steps
