"""C and C++: the facts of one file: types, functions, variables, includes.

`extract` serves both languages.
"""

from collections.abc import Sequence
from typing import Any

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser

from ghostmem.outline.facts import FILE, Facts
from ghostmem.outline.languages.cfamily_.macros import blanked, without_conditions
from ghostmem.outline.languages.cfamily_.records import RecordWalk
from ghostmem.outline.languages.cfamily_.syntax import (
    INITIALISERS,
    RECORDS,
    Declared,
    arguments_in,
    declared,
    is_named,
    parameters_of,
    path_of,
    type_of,
)
from ghostmem.outline.languages.shared.postorder import UNKNOWN, Step, present
from ghostmem.outline.languages.shared.syntax import reparsed

_CONSTANT = frozenset({"const", "constexpr", "constinit"})
# in a declaration without a body: it is a definition
_DEFINING = frozenset({"default_method_clause", "delete_method_clause", "try_statement"})

# macros of GoogleTest: the body is a method of a class that extends the first argument
_WITH_FIXTURE = frozenset({"TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"})


class FamilyWalk(RecordWalk):
    """Declare functions and variables."""

    def visit_function_definition(self, node: Node) -> list[Step]:
        """Declare a function with a body and bind its parameters."""
        found = declared(self, node.child_by_field_name("declarator"))
        body = node.child_by_field_name("body")
        typed = node.child_by_field_name("type")
        if found is None or found.function is None:
            return present(typed, body)
        nodes, _, _ = parameters_of(self, found.function)
        index = self.declare_function(node, found, typed, body)
        lists = [
            kid
            for kid in node.named_children
            if kid.type in ("field_initializer_list", "declaration", "try_statement")
        ]
        trailing = [
            kid for kid in found.function.named_children if kid.type == "trailing_return_type"
        ]
        steps = [
            *present(typed, *trailing),
            *self.parameters(nodes),
            *self.during("function", True, [*lists, *present(body)]),
        ]
        return self.inside(index, steps)

    def declare_function(
        self, node: Node, found: Declared, typed: Node | None, body: Node | None
    ) -> int:
        """Declare a function or method, with a body or without."""
        _, takes, types = parameters_of(self, found.function)
        kinds = {kid.type for kid in node.children}
        default = node.child_by_field_name("default_value")
        detail = self.placed(
            {
                "decl": body is None and kinds.isdisjoint(_DEFINING),
                "static": "static" in self.specifiers(node),
                "pure": default is not None and self.name(default) == "0",
                "params": takes,
                "types": types,
                "ret": self.returned(typed, found.function),
                "qual": found.path[:-1],
                "deleted": "delete_method_clause" in kinds,
            }
        )
        macro = (
            typed is None
            and body is not None
            and not self.in_type()
            and found.path[-1].isupper()
            and len(found.path) == 1
        )
        if macro and found.path[-1] in _WITH_FIXTURE and types:
            detail["fixture"] = types[0]
        name = self.text(found.function) if macro else found.path[-1]  # TEST(Suite, Case) { ... }
        kind = "method" if self.in_type() else "function"
        owner = FILE if self.function else self.owner
        return self.symbol(name, kind, owner, node, body, detail)

    def specifiers(self, node: Node) -> set[str]:
        """Return the words before the type of a declaration, such as static and const."""
        return {
            self.name(kid)
            for kid in node.children
            if kid.type in ("storage_class_specifier", "type_qualifier")
        }

    def returned(self, typed: Node | None, function: Node | None) -> Any:
        """Return the type that a function gives back, also when it stands after an arrow."""
        kids = function.named_children if function else []
        trailing = next((kid for kid in kids if kid.type == "trailing_return_type"), None)
        after = next(iter(trailing.named_children), None) if trailing is not None else typed
        return type_of(self, after)

    def visit_declaration(self, node: Node) -> list[Step]:
        """Declare everything that a declaration names; inside a body bind locals."""
        if self.function and node.type == "declaration":
            return self.locals(node)
        typed = node.child_by_field_name("type")
        declarators = node.children_by_field_name("declarator")
        has_body = typed is not None and typed.child_by_field_name("body") is not None
        if typed is not None and typed.type in RECORDS and not declarators and not has_body:
            return []  # a forward declaration
        template = self.template
        steps, typed_steps = (present(typed), []) if has_body else ([], present(typed))
        for declarator in declarators:
            found = declared(self, declarator)
            if found is None:
                continue
            self.template = template
            if found.function is not None:
                index = self.declare_function(node, found, typed, None)
                nodes, _, _ = parameters_of(self, found.function)
                steps += self.inside(index, [*typed_steps, *self.parameters(nodes)])
            else:
                steps += self.variable(node, declarator, found, typed, typed_steps)
        return steps

    def variable(
        self,
        node: Node,
        declarator: Node,
        found: Declared,
        typed: Node | None,
        typed_steps: Sequence[Step],
    ) -> list[Step]:
        """Declare a variable, constant or field; its initialiser belongs to the file."""
        words, inside = self.specifiers(node), self.in_type()
        value = declarator.child_by_field_name("value")
        value = value or node.child_by_field_name("default_value")
        kind, is_static = type_of(self, typed), "static" in words
        is_field = inside and not is_static
        detail = self.placed(
            {
                "decl": value is None and ("extern" in words or (inside and is_static)),
                "static": is_static and not inside,
                "type": None if found.pointer else kind,
                "qual": found.path[:-1],
                "member": inside and is_static,
                "plain": not found.is_indirect,
            }
        )
        is_fixed = not _CONSTANT.isdisjoint(words) and "pointer_declarator" not in found.wrappers
        sort = "field" if is_field else "constant" if is_fixed else "variable"
        index = self.symbol(found.path[-1], sort, self.owner, node, None, detail)
        is_inferred = kind is None and value is not None
        if is_inferred:
            detail["value"] = UNKNOWN

        def make() -> None:
            is_object = is_named(kind) and not found.is_indirect and not is_field
            if is_object and value is not None and value.type in INITIALISERS:
                maybe = value.type == "initializer_list"
                self.made(kind, len(value.named_children), node, maybe=maybe)
            if is_inferred:
                detail["value"] = self.of(value)

        owned = list(typed_steps) if is_field else self.inside(index, typed_steps)
        return [*owned, *present(value), make]

    def visit_field_initializer(self, node: Node) -> list[Step]:
        """Record the constructor that an initialiser of a base or member calls."""
        kids = node.named_children
        path = path_of(self, kids[0]) if len(kids) > 1 else []
        if path:
            count = len(arguments_in(kids[-1]))
            self.ref("calls", kids[0], {"init": path, "args": count})
        return [*kids[-1].named_children] if len(kids) > 1 else []


def extract(root: Node, source: bytes, grammar: object) -> Facts:
    """Return the facts of one C or C++ file.

    It is parsed again when macros or directives hide declarations from the grammar.
    """
    plain = blanked(source)
    if plain != source:
        root = Parser(Grammar(grammar)).parse(plain).root_node
    if root.has_error and (flat := without_conditions(plain)) != plain:
        root = reparsed(root, grammar, flat)
    walk = FamilyWalk(source)
    walk.run(root)
    return walk.finish(root, {"contexts": [list(one) for one in walk.contexts]})
