"""Rust: what the bodies of functions say: locals with their values, calls, reads and writes."""

from tree_sitter import Node

from ghostmem.outline.languages.postorder import UNKNOWN, Step, Walk, present
from ghostmem.outline.languages.rust_syntax import path_of, type_of

# methods that hand what is inside their receiver to a closure
OPENING = frozenset(
    "map for_each filter and_then any all find position take_while skip_while inspect is_some_and is_ok_and flat_map filter_map "
    "map_or map_or_else partition max_by_key min_by_key sort_by_key retain iter_mut then_some then find_map then_with".split()
)
STATEMENTS = frozenset({"expression_statement", "let_declaration", "empty_statement", "line_comment", "block_comment"})
SAME = frozenset({"parenthesized_expression", "reference_expression", "unary_expression", "unsafe_block", "const_block"})


class BodyWalk(Walk):
    """Collect what stands inside functions and initialisers."""

    # statements and scopes

    def visit_block(self, node: Node) -> list[Step]:
        """Visit a block in a scope of its own."""
        return [self.push, *node.named_children, self.pop]

    def visit_let_declaration(self, node: Node) -> list[Step]:
        """Bind a pattern after its value was visited."""
        pattern, kind = node.child_by_field_name("pattern"), node.child_by_field_name("type")
        value, other = node.child_by_field_name("value"), node.child_by_field_name("alternative")

        def bind() -> None:
            typed = type_of(self, kind)
            source = self.expr("as", typed, self.owner, self.of(value)) if typed else self.of(value)
            if pattern is not None:
                self.pattern(pattern, source)

        return [*present(kind, value, other), bind]

    def visit_let_condition(self, node: Node) -> list[Step]:
        """Bind the pattern of `if let` and `while let`."""
        return self.matched(node.child_by_field_name("pattern"), node.child_by_field_name("value"))

    def matched(self, pattern: Node | None, value: Node | None, wrap: str = "") -> list[Step]:
        """Visit a value, then bind a pattern to it, or to its elements."""

        def bind() -> None:
            source = self.of(value)
            if pattern is not None:
                self.pattern(pattern, self.expr(wrap, source) if wrap else source)

        return [*present(value), bind]

    def visit_if_expression(self, node: Node) -> list[Step]:
        """Keep what a condition binds out of the other branch."""
        condition, yes = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        return [self.push, *present(condition, yes), self.pop, *present(node.child_by_field_name("alternative"))]

    def visit_while_expression(self, node: Node) -> list[Step]:
        """Keep what a condition binds inside the loop."""
        return [self.push, *present(node.child_by_field_name("condition"), node.child_by_field_name("body")), self.pop]

    def visit_for_expression(self, node: Node) -> list[Step]:
        """Bind the pattern of a loop to the elements of its value."""
        bound = self.matched(node.child_by_field_name("pattern"), node.child_by_field_name("value"), "elem")
        return [self.push, *bound, *present(node.child_by_field_name("body")), self.pop]

    def visit_match_expression(self, node: Node) -> list[Step]:
        """Bind the pattern of every arm to the matched value."""
        value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        steps: list[Step] = present(value)
        for arm in body.named_children if body else []:
            if arm.type != "match_arm":
                continue
            pattern = arm.child_by_field_name("pattern")
            inner = next(iter(pattern.named_children), None) if pattern is not None else None
            guard = pattern.child_by_field_name("condition") if pattern is not None else None
            bound = self.matched(inner, value)[1:] if value is not None else []
            steps += [self.push, *bound, *present(guard, arm.child_by_field_name("value")), self.pop]
        return steps

    def visit_closure_expression(self, node: Node) -> list[Step]:
        """Visit a closure with its parameters; its body belongs to the function around it."""
        return self.closure(node, UNKNOWN)

    def closure(self, node: Node, element: int) -> list[Step]:
        """Bind the parameters of a closure: to their types, or to the element it is handed."""
        parameters = node.child_by_field_name("parameters")
        takes = parameters.named_children if parameters else []
        types = [one.child_by_field_name("type") for one in takes if one.type == "parameter"]

        def bind() -> None:
            for one in takes:
                if one.type == "parameter":
                    typed = type_of(self, one.child_by_field_name("type"))
                    if (pattern := one.child_by_field_name("pattern")) is not None:
                        self.pattern(pattern, self.expr("as", typed, self.owner))
                else:
                    self.pattern(one, element if len(takes) == 1 else UNKNOWN)

        result, body = node.child_by_field_name("return_type"), node.child_by_field_name("body")
        return [self.push, *present(*types), bind, *present(result, body), self.pop]

    # expressions

    def visit_identifier(self, node: Node) -> list[Step]:
        """Read a local, or a constant, static or function."""
        self.read(node, "accesses")
        return []

    def read(self, node: Node, *kinds: str) -> None:
        """Record the use of a value by its name or path, unless it is a local."""
        if node.type == "identifier" and (at := self.local(self.name(node))) is not None:
            self.seen[node.id] = self.expr("local", at)
            return
        path = path_of(self, node)
        for kind in kinds if path else ():
            self.ref(kind, node, {"value": path})

    def visit_scoped_identifier(self, node: Node) -> list[Step]:
        """Read a value by its path, such as a constant or a variant."""
        self.read(node, "accesses")
        return self.qualifier(node)

    def qualifier(self, node: Node) -> list[Step]:
        """Visit the types in the first part of a path; a plain one counts as used when it names a type."""
        path = node.child_by_field_name("path")
        if path is None:
            return []
        if path.type in ("bracketed_type", "generic_type"):
            return [path]
        segs = path_of(self, path)
        if segs and segs != ["Self"]:
            self.ref("uses", path, {"path": segs, "maybe": True})
        return self.qualifier(path) if path.type == "scoped_identifier" and not segs else []

    def visit_call_expression(self, node: Node) -> list[Step]:
        """Record a call after its receiver was visited, then visit the arguments."""
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None:
            return present(arguments)
        generic = function.child_by_field_name("type_arguments") if function.type == "generic_function" else None
        inner = function.child_by_field_name("function") if generic is not None else function
        if inner is None:
            return present(arguments)
        steps: list[Step] = present(generic)
        method = inner.type == "field_expression"
        if method:
            steps += present(inner.child_by_field_name("value"))
        elif inner.type == "scoped_identifier":
            steps += self.qualifier(inner)
        elif inner.type != "identifier":
            steps.append(inner)
        count = sum(1 for one in arguments.named_children if not one.type.endswith("comment")) if arguments else 0

        def call() -> None:
            if inner.type == "identifier" and (at := self.local(self.name(inner))) is not None:
                self.seen[inner.id] = self.expr("local", at)
            callee = self.of(inner)
            types = [type_of(self, one) for one in generic.named_children] if generic is not None else []
            self.seen[node.id] = self.expr("call", callee, types)
            self.ref("calls", inner, {"callee": callee, "args": count})

        return [*steps, call, *self.arguments(arguments, inner if method else None)]

    def arguments(self, node: Node | None, method: Node | None) -> list[Step]:
        """Visit arguments; a closure handed to `map` and its like takes the element of the receiver."""
        steps: list[Step] = []
        for one in node.named_children if node else []:
            opens = (
                method is not None
                and one.type == "closure_expression"
                and self.name(method.child_by_field_name("field")) in OPENING
            )
            if not opens or method is None:
                steps.append(one)
                continue
            element = self.expr("elem", UNKNOWN)

            def fill(element: int = element, method: Node = method) -> None:
                self.exprs[element][1] = self.of(method.child_by_field_name("value"))

            steps += [fill, *self.closure(one, element)]
        return steps

    def visit_assignment_expression(self, node: Node) -> list[Step]:
        """Record a write."""
        return self.assign(node, "assigns")

    def visit_compound_assignment_expr(self, node: Node) -> list[Step]:
        """Record a read and a write."""
        return self.assign(node, "accesses", "assigns")

    def assign(self, node: Node, *kinds: str) -> list[Step]:
        """Record what the left side names as written; indices on the way are visited."""
        target, steps = node.child_by_field_name("left"), present(node.child_by_field_name("right"))
        while target is not None and target.type in ("field_expression", "index_expression", "parenthesized_expression"):
            inner = target.child_by_field_name("value") or next(iter(target.named_children), None)
            steps += [kid for kid in target.named_children[1:] if target.type == "index_expression"]
            target = inner
        if target is None:
            return steps
        if target.type not in ("identifier", "scoped_identifier"):
            return [target, *steps]
        self.read(target, *kinds)
        return [*(self.qualifier(target) if target.type == "scoped_identifier" else []), *steps]

    def visit_field_expression(self, node: Node) -> list[Step]:
        """Visit what a field is taken from."""
        return present(node.child_by_field_name("value"))

    def visit_ERROR(self, node: Node) -> list[Step]:  # noqa: N802 (the grammar's name)
        """Visit what a broken part still holds, without its stray names."""
        return [kid for kid in node.named_children if kid.type not in ("identifier", "type_identifier")]

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
        first = next((kid for kid in node.named_children if kid.type != "mutable_specifier"), None) if node.child_count else None
        if kind in SAME:
            return self.shape(first, depth + 1) if first is not None else UNKNOWN
        if kind == "self":
            return self.expr("self", self.owner)
        if kind == "field_expression":
            value = node.child_by_field_name("value")
            inner = self.shape(value, depth + 1) if value is not None else UNKNOWN
            return self.expr("member", inner, self.name(node.child_by_field_name("field")))
        if kind in ("try_expression", "await_expression", "index_expression"):
            wrap = {"try_expression": "try", "await_expression": "await", "index_expression": "index"}[kind]
            return self.expr(wrap, self.shape(first, depth + 1)) if first is not None else UNKNOWN
        if kind in ("type_cast_expression", "struct_expression"):
            typed = node.child_by_field_name("type" if kind == "type_cast_expression" else "name")
            return self.expr("as", type_of(self, typed), self.owner)
        if kind in ("identifier", "scoped_identifier", "generic_function"):
            return self.path(node)
        if kind == "closure_expression":
            return self.expr("closure")
        if kind.endswith("_literal"):
            name = {"string_literal": "str", "raw_string_literal": "str", "char_literal": "char", "boolean_literal": "bool"}.get(
                kind
            )
            return self.expr("as", ["path", [name], []], self.owner) if name else UNKNOWN
        if kind == "tuple_expression":
            return self.expr("tuple", [self.shape(one, depth + 1) for one in node.named_children])
        if kind == "array_expression":
            return self.expr("array", self.shape(first, depth + 1) if first is not None else UNKNOWN)
        return self.branches(node, depth + 1)

    def branches(self, node: Node, depth: int) -> int:
        """Build the expression of a block, a condition or a match: what its branches come to."""
        if node.type == "block":
            last = node.named_children[-1] if node.named_children else None
            return self.shape(last, depth) if last is not None and last.type not in STATEMENTS else UNKNOWN
        ends: list[Node | None] = []
        if node.type == "if_expression":
            ends = [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")]
        elif node.type == "else_clause":
            ends = [next(iter(node.named_children), None)]
        elif node.type == "match_expression" and (body := node.child_by_field_name("body")) is not None:
            ends = [arm.child_by_field_name("value") for arm in body.named_children if arm.type == "match_arm"]
        found = [at for one in ends if one is not None and (at := self.shape(one, depth)) != UNKNOWN]
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
                "qpath", type_of(self, kind), type_of(self, trait), self.name(node.child_by_field_name("name")), self.owner
            )
        segs = path_of(self, node)
        given = type_of(self, front) if front is not None and front.type == "generic_type" else None
        return self.expr("path", segs, given[2] if given else [], self.owner) if segs else UNKNOWN

    def pattern(self, node: Node, source: int, depth: int = 0) -> None:
        """Bind the names of a pattern; a capitalised name is a constant or a variant."""
        kind = node.type
        if depth > 40:
            return
        if kind in ("identifier", "shorthand_field_identifier"):
            name = self.name(node)
            if name[:1].isupper():
                self.ref("accesses", node, {"value": [name], "maybe": True})
            else:
                self.bind(name, None, source)
        elif kind in ("scoped_identifier", "scoped_type_identifier"):
            self.read(node, "accesses")
        elif kind in ("tuple_struct_pattern", "struct_pattern"):
            self.parts(node, source, depth)
        elif kind in ("tuple_pattern", "slice_pattern"):
            for at, one in enumerate(node.named_children):
                self.pattern(
                    one, self.expr("item", source, at) if kind == "tuple_pattern" else self.expr("elem", source), depth + 1
                )
        elif kind != "closure_expression" and not kind.endswith("literal"):
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
                self.pattern(one, self.expr("part", source, segs or [], str(number), self.owner), depth + 1)
                number += 1
