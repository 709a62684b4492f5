"""C and C++: references in expressions: calls, reads, writes and the types they name."""

from collections.abc import Callable
from typing import Any, ClassVar

from tree_sitter import Node

from ghostmem.outline.languages.cfamily_.syntax import (
    arguments_in,
    arguments_of,
    is_named,
    path_of,
    type_of,
)
from ghostmem.outline.languages.shared.postorder import UNKNOWN, Step, Walk, fields_of, present

MAX_NESTING = 60  # expressions inside each other
CASTS = frozenset({"static_cast", "dynamic_cast", "reinterpret_cast", "const_cast"})
MAKERS = frozenset({"make_unique", "make_shared"})
_SILENT = (
    "comment preproc_def preproc_function_def preproc_call attribute_declaration "
    "attribute_specifier gnu_asm_expression "
    "statement_identifier string_literal raw_string_literal char_literal number_literal "
    "system_lib_string friend_declaration "
    "field_designator operator_name destructor_name ms_declspec_modifier preproc_defined "
    "preproc_arg alignas_qualifier "
    "template_parameter_list namespace_identifier"
).split()


class ExpressionWalk(Walk):
    """Collect the names in expressions."""

    silent = _SILENT
    scoped = (
        *("while_statement", "switch_statement", "if_statement"),
        *("for_statement", "compound_statement"),
    )
    visited_fields: ClassVar = {"template_type": ("name", "arguments")}
    same: ClassVar = {
        "compound_literal_expression": "new_expression",
        "update_expression": "assignment_expression",
    }

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.ns: list[str] = []
        self.contexts: dict[tuple[int, str], int] = {}
        self.function = False  # inside a body: declarations are locals

    def context(self) -> int:
        """Return the number of the place we are in: its owner and namespace."""
        return self.contexts.setdefault((self.owner, "::".join(self.ns)), len(self.contexts))

    def ref(self, kind: str, node: Node, detail: Any, owner: int | None = None) -> None:
        """Record a reference with the place we are in."""
        super().ref(kind, node, {"ctx": self.context(), **detail}, owner)

    def made(self, kind: Any, count: int, node: Node, *, maybe: bool) -> None:
        """Record the call of a constructor."""
        self.ref("calls", node, {"new": kind, "args": count, "maybe": maybe})

    # types

    def visit_type_identifier(self, node: Node) -> list[Step]:
        """Record the use of a type."""
        self.ref("uses", node, {"path": [self.name(node)], "tag": False})
        return []

    def visit_qualified_identifier(self, node: Node) -> list[Step]:
        """Record a qualified name: a type when its last part is one, else a value."""
        last: Node | None = node
        while last is not None and last.type == "qualified_identifier":
            last = last.child_by_field_name("name")
        if last is None:
            return []
        path = path_of(self, node)
        if path and last.type in ("type_identifier", "template_type"):
            self.ref("uses", node, {"path": path, "tag": False})
        elif path and last.type in ("identifier", "template_function"):
            self.ref("accesses", node, {"value": path})
        return self.scopes_of(node)

    def scopes_of(self, node: Node) -> list[Step]:
        """Visit the template arguments in a qualified name.

        Its scope counts as used when it is a type.
        """
        steps: list[Step] = []
        here: Node | None = node
        path: list[str] = []
        while here is not None and here.type == "qualified_identifier":
            scope = here.child_by_field_name("scope")
            path += path_of(self, scope) if scope is not None else [""]
            steps += fields_of(scope, ("arguments",)) if scope is not None else []
            here = here.child_by_field_name("name")
        steps += fields_of(here, ("arguments",)) if here is not None else []
        if path and path != [""] and path[0] != "std":
            self.ref("uses", node, {"path": path, "tag": False, "maybe": True})
        return steps

    # expressions

    def visit_identifier(self, node: Node) -> list[Step]:
        """Read a local or a variable."""
        self.read(node, "accesses")
        return []

    def read(self, node: Node, *kinds: str) -> None:
        """Record the use of a variable, unless it is a local."""
        name = self.name(node)
        if (at := self.local(name)) is not None:
            self.seen[node.id] = self.expr("local", at)
            return
        for kind in kinds:
            self.ref(kind, node, {"value": [name]})

    def visit_field_expression(self, node: Node) -> list[Step]:
        """Visit the owner of a member; a static member counts as read."""
        return self.member(node, ("accesses",))

    def member(self, node: Node, kinds: tuple[str, ...]) -> list[Step]:
        """Record a member, which counts when it is static, after its owner was visited."""

        def record() -> None:
            for kind in kinds:
                self.ref(kind, node, {"member": self.of(node)})

        return [*present(node.child_by_field_name("argument")), record]

    def visit_call_expression(self, node: Node) -> list[Step]:
        """Record a call after its receiver was visited, then visit the arguments."""
        function = node.child_by_field_name("function")
        given = arguments_in(node.child_by_field_name("arguments"))
        if function is None:
            return present(node.child_by_field_name("arguments"))
        path = path_of(self, function)
        types = arguments_of(self, function)
        if path and path[-1] in CASTS:
            self.seen[node.id] = self.expr("as", types[0] if types else None, self.context())
            return [*present(function.child_by_field_name("arguments")), *given]
        if function.type == "primitive_type":
            return [*given]

        def call() -> None:
            local = self.local(self.name(function)) if function.type == "identifier" else None
            if local is not None:
                self.seen[function.id] = self.expr("local", local)
            callee = self.of(function)
            self.seen[node.id] = self.expr("call", callee, len(given))
            if path and path[-1] in MAKERS and types:
                self.made(types[0], len(given), function, maybe=False)
            detail = {"callee": callee, "args": len(given)}
            self.ref("calls", function, detail)

        return [*self.callee_steps(function), call, *given]

    def callee_steps(self, function: Node) -> list[Step]:
        """Return the parts of a callee that are visited before the call: receiver and types."""
        match function.type:
            case "field_expression":
                field = function.child_by_field_name("field")
                types = field.child_by_field_name("arguments") if field is not None else None
                return present(function.child_by_field_name("argument"), types)
            case "qualified_identifier":
                return self.scopes_of(function)
            case "template_function":
                return present(function.child_by_field_name("arguments"))
            case "identifier":
                return []
        return [] if self.bracketed(function) else [function]

    def bracketed(self, node: Node) -> bool:
        """Tell whether this is a name in parentheses that is no local: `(f)(x)`, or the cast
        `(T)(x)`.
        """
        if node.type != "parenthesized_expression" or node.named_child_count != 1:
            return False
        inner = node.named_children[0]
        return inner.type == "identifier" and self.local(self.name(inner)) is None

    def visit_new_expression(self, node: Node) -> list[Step]:
        """Record the constructor that `new T(...)` calls, or `T{...}` if there is one."""
        typed = node.child_by_field_name("type")
        given = node.child_by_field_name("arguments") or node.child_by_field_name("value")
        kind, maybe = type_of(self, typed), node.type != "new_expression"
        if is_named(kind):
            self.made(kind, len(arguments_in(given)), node, maybe=maybe)
        return present(typed, given)

    def visit_assignment_expression(self, node: Node) -> list[Step]:
        """Record a write; with an operator other than `=` also a read."""
        target = node.child_by_field_name("left") or node.child_by_field_name("argument")
        is_plain = self.name(node.child_by_field_name("operator")) == "="
        kinds = ("assigns",) if is_plain else ("accesses", "assigns")
        return self.assign(target, kinds, present(node.child_by_field_name("right")))

    def assign(self, target: Node | None, kinds: tuple[str, ...], steps: list[Step]) -> list[Step]:
        """Record the write of the left side: through members by value and indices, not
        through pointers.
        """
        while target is not None:
            inner = target.child_by_field_name("argument")
            is_pointer = self.name(target.child_by_field_name("operator")) == "->"
            is_own = inner is not None and inner.type == "this"
            if target.type == "field_expression" and not is_pointer and not is_own:
                target = inner
            elif target.type == "subscript_expression":
                steps = [*steps, *present(*target.named_children[1:])]
                target = inner
            elif target.type == "parenthesized_expression":
                target = next(iter(target.named_children), None)
            else:
                break
        if target is None:
            return steps
        if target.type == "identifier":
            self.read(target, *kinds)
            return steps
        path = path_of(self, target) if target.type == "qualified_identifier" else []
        if path:
            for kind in kinds:
                self.ref(kind, target, {"value": path})
            return [*self.scopes_of(target), *steps]
        if target.type == "field_expression":
            return [*self.member(target, kinds), *steps]
        return [target, *steps]

    def of(self, node: Node | None) -> int:
        """Return the expression of a node that was visited, as far as it is understood."""
        if node is None:
            return UNKNOWN
        if node.id not in self.seen:
            self.seen[node.id] = self.shape(node, 0)
        return self.seen[node.id]

    def shape(self, node: Node | None, depth: int) -> int:
        """Build the expression of a node."""
        if node is None or depth > MAX_NESTING:
            return UNKNOWN
        if node.id in self.seen:
            return self.seen[node.id]
        handler = _SHAPES.get(node.type)
        return handler(self, node, depth + 1) if handler is not None else UNKNOWN

    def _inner(self, node: Node, depth: int) -> int:
        inner = node.child_by_field_name("argument") or next(iter(node.named_children), None)
        return self.shape(inner, depth)

    def _item(self, node: Node, depth: int) -> int:
        inner = self._inner(node, depth)
        return self.expr("index", inner) if inner != UNKNOWN else inner

    def _member(self, node: Node, depth: int) -> int:
        inner = self.shape(node.child_by_field_name("argument"), depth)
        path = path_of(self, node.child_by_field_name("field"))
        arrow = self.name(node.child_by_field_name("operator")) == "->"
        return self.expr("member", inner, path[-1], arrow) if path else UNKNOWN

    def _named(self, node: Node, _depth: int) -> int:
        path, given = path_of(self, node), arguments_of(self, node)
        return self.expr("name", path, given, self.context()) if path else UNKNOWN

    def _typed(self, node: Node, _depth: int) -> int:
        return self.expr("as", type_of(self, node.child_by_field_name("type")), self.context())

    def _either(self, node: Node, depth: int) -> int:
        sides = [node.child_by_field_name(name) for name in ("consequence", "alternative")]
        rows = [self.shape(side, depth) for side in sides]
        return self.expr("first", [row for row in rows if row != UNKNOWN])


# by the kind of a node
_SHAPES: dict[str, Callable[[ExpressionWalk, Node, int], int]] = {
    "parenthesized_expression": ExpressionWalk._inner,
    "pointer_expression": ExpressionWalk._inner,
    "subscript_expression": ExpressionWalk._item,
    "this": lambda walk, _node, _depth: walk.expr("this", walk.context()),
    "field_expression": ExpressionWalk._member,
    "identifier": ExpressionWalk._named,
    "qualified_identifier": ExpressionWalk._named,
    "template_function": ExpressionWalk._named,
    "cast_expression": ExpressionWalk._typed,
    "new_expression": ExpressionWalk._typed,
    "compound_literal_expression": ExpressionWalk._typed,
    "conditional_expression": ExpressionWalk._either,
    "lambda_expression": lambda walk, _node, _depth: walk.expr("closure"),
}
