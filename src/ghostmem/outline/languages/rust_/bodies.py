"""Rust: the bodies of functions: locals with their values, calls, reads and writes."""

from tree_sitter import Node

from ghostmem.outline.engine.table import words_of
from ghostmem.outline.languages.rust_.shapes import ShapeWalk
from ghostmem.outline.languages.rust_.syntax import arguments_of, path_of, type_of
from ghostmem.outline.languages.shared.postorder import UNKNOWN, Step, fields_of, present

# methods that pass the elements of their receiver to a closure
PASSES = words_of("rust.txt")["passes"]


class RustBodyWalk(ShapeWalk):
    """Collect locals and references inside functions and initialisers."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.receivers: dict[int, Node | None] = {}  # closure: what passes its elements to it

    # statements and scopes

    def visit_let_declaration(self, node: Node, wrap: str = "") -> list[Step]:
        """Bind a pattern after its value was visited, also that of `if let` and `while let`."""
        pattern, kind, value = (
            node.child_by_field_name(name) for name in ("pattern", "type", "value")
        )

        def bind() -> None:
            source = self.of(value)
            if typed := type_of(self, kind):
                source = self.expr("as", typed, self.owner, source)
            if wrap:
                source = self.expr(wrap, source)
            if pattern is not None:
                self.pattern(pattern, source)

        return [*fields_of(node, ("type", "value", "alternative")), bind]

    def visit_if_expression(self, node: Node) -> list[Step]:
        """Keep the names that a condition binds out of the other branch."""
        inside = fields_of(node, ("condition", "consequence"))
        return [self.push, *inside, self.pop, *fields_of(node, ("alternative",))]

    def visit_for_expression(self, node: Node) -> list[Step]:
        """Bind the pattern of a loop to the elements of its value."""
        bound = self.visit_let_declaration(node, "elem")
        return [self.push, *bound, *fields_of(node, ("body",)), self.pop]

    def visit_match_expression(self, node: Node) -> list[Step]:
        """Bind the pattern of every arm to the matched value."""
        value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        steps: list[Step] = present(value)
        for arm in body.named_children if body else []:
            pattern = arm.child_by_field_name("pattern")
            if pattern is None:
                continue

            guard = pattern.child_by_field_name("condition")

            def bind(pattern: Node = pattern, guard: Node | None = guard) -> None:
                for inner in pattern.named_children[:1]:
                    if inner != guard:  # a pattern `_` is no node
                        self.pattern(inner, self.of(value))

            steps += [self.push, bind, *present(guard, arm.child_by_field_name("value")), self.pop]
        return steps

    def visit_closure_expression(self, node: Node) -> list[Step]:
        """Bind the parameters of a closure: to their types, or to the element that it is passed.

        Its body belongs to the function around it.
        """

        def bind() -> None:
            element = self.expr("elem", self.of(self.receivers.get(node.id)))
            self.bind_parameters(node.child_by_field_name("parameters"), element)

        inside = fields_of(node, ("return_type", "body"))
        return [self.push, *fields_of(node, ("parameters",)), bind, *inside, self.pop]

    def bind_parameters(self, parameters: Node | None, element: int = UNKNOWN) -> None:
        """Bind parameters to their types, and the only one of a closure to an element."""
        if parameters is None:
            return
        is_closure = parameters.type == "closure_parameters"
        is_single = all(child.type != "," for child in parameters.children)
        for child in parameters.named_children:
            if child.type == "parameter":
                written = type_of(self, child.child_by_field_name("type"))
                for pattern in child.children_by_field_name("pattern"):
                    self.pattern(pattern, self.expr("as", written, self.owner))
            elif is_closure:
                self.pattern(child, element if is_single else UNKNOWN)

    # expressions

    def visit_scoped_identifier(self, node: Node) -> list[Step]:
        """Read a local, or a value by its path, such as a constant, a function or a variant."""
        self.read(node, "accesses")
        return self.qualifier(node)

    def qualifier(self, node: Node) -> list[Step]:
        """Visit the types in the first part of a path.

        A plain one counts as used when it names a type.
        """
        path = node.child_by_field_name("path")
        if path is None:
            return []
        if path.type in ("bracketed_type", "generic_type"):
            return [path]
        segments = path_of(self, path)
        if segments and segments != ["Self"]:
            self.ref("uses", path, {"path": segments, "space": "type", "maybe": True})
        is_scoped = path.type == "scoped_identifier" and not segments
        return self.qualifier(path) if is_scoped else []

    def visit_call_expression(self, node: Node) -> list[Step]:
        """Record a call after its receiver was visited, then visit the arguments."""
        function = node.child_by_field_name("function")
        if function is None:
            return fields_of(node, ("arguments",))
        is_generic = function.type == "generic_function"
        inner = (function.child_by_field_name("function") if is_generic else None) or function
        steps = fields_of(function, ("type_arguments",))
        is_method = inner.type == "field_expression"
        if is_method:
            steps += fields_of(inner, ("value",))
        elif inner.type == "scoped_identifier":
            steps += self.qualifier(inner)
        elif inner.type != "identifier":
            steps.append(inner)

        def call() -> None:
            self.is_local(inner)
            callee = self.of(inner)
            self.seen[node.id] = self.expr("call", callee, arguments_of(self, function))
            self.ref("calls", inner, {"callee": callee})

        arguments = node.child_by_field_name("arguments")
        passed = arguments.named_children if arguments is not None else []
        if is_method and self.name(inner.child_by_field_name("field")) in PASSES:
            receiver = inner.child_by_field_name("value")
            self.receivers.update((argument.id, receiver) for argument in passed)
        return [*steps, call, *passed]

    def visit_assignment_expression(self, node: Node) -> list[Step]:
        """Record the write of the left side; indices on the way are visited."""
        compound = node.type != "assignment_expression"
        kinds = ("accesses", "assigns") if compound else ("assigns",)
        target, steps = node.child_by_field_name("left"), present(node.child_by_field_name("right"))
        while target is not None and target.type in (
            "field_expression",
            "index_expression",
            "parenthesized_expression",
        ):
            inner = target.child_by_field_name("value") or next(iter(target.named_children), None)
            steps += target.named_children[1:] if target.type == "index_expression" else []
            target = inner
        if target is None:
            return steps
        if target.type not in ("identifier", "scoped_identifier"):
            return [target, *steps]
        self.read(target, *kinds)
        return [*self.qualifier(target), *steps]
