"""C and C++: what one file says: types, functions, variables, includes.

`extract` serves both languages.
"""

from collections.abc import Sequence
from typing import Any

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser

from ghostmem.outline.facts import FILE, Facts
from ghostmem.outline.languages.cfamily_.macros import blanked
from ghostmem.outline.languages.cfamily_.records import RecordWalk
from ghostmem.outline.languages.cfamily_.syntax import (
    Declared,
    declared,
    parameters_of,
    path_of,
    type_of,
)
from ghostmem.outline.languages.shared.postorder import UNKNOWN, Step, present


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
        static = any(
            kid.type == "storage_class_specifier" and self.name(kid) == "static"
            for kid in node.children
        )
        default = node.child_by_field_name("default_value")
        clause = any(
            kid.type in ("default_method_clause", "delete_method_clause") for kid in node.children
        )
        detail = self.placed(
            {
                "decl": body is None
                and not clause
                and not any(kid.type == "try_statement" for kid in node.children),
                "static": static,
                "pure": default is not None and self.name(default) == "0",
                "params": takes,
                "types": types,
                "ret": self.returned(typed, found.function),
                "qual": found.path[:-1],
                "deleted": any(kid.type == "delete_method_clause" for kid in node.children),
            }
        )
        macro = (
            typed is None
            and body is not None
            and not self.in_type()
            and found.path[-1].isupper()
            and len(found.path) == 1
        )
        name = self.text(found.function) if macro else found.path[-1]  # TEST(Suite, Case) { ... }
        kind = "method" if self.in_type() else "function"
        return self.symbol(
            name, kind, self.owner if not self.function else FILE, node, body, detail
        )

    def returned(self, typed: Node | None, function: Node | None) -> Any:
        """Return the type that a function gives back, also when it stands after an arrow."""
        trailing = next(
            (
                kid
                for kid in (function.named_children if function else [])
                if kid.type == "trailing_return_type"
            ),
            None,
        )
        return type_of(
            self, next(iter(trailing.named_children), None) if trailing is not None else typed
        )

    def visit_declaration(self, node: Node) -> list[Step]:
        """Declare everything that a declaration names; inside a body bind locals."""
        if self.function and node.type == "declaration":
            return self.locals(node)
        typed = node.child_by_field_name("type")
        held = node.children_by_field_name("declarator")
        if (
            typed is not None
            and not held
            and typed.type.endswith("_specifier")
            and typed.child_by_field_name("body") is None
        ):
            return []  # a forward declaration
        steps: list[Step] = []
        template = self.template
        if (
            typed is not None
            and typed.child_by_field_name("body") is not None
            and typed.type.endswith("_specifier")
        ):
            steps.append(typed)
            typed_steps: list[Step] = []
        else:
            typed_steps = present(typed)
        for one in held:
            found = declared(self, one)
            if found is None:
                continue
            self.template = template
            if found.function is not None:
                index = self.declare_function(node, found, typed, None)
                nodes, _, _ = parameters_of(self, found.function)
                steps += self.inside(index, [*typed_steps, *self.parameters(nodes)])
            else:
                steps += self.variable(node, one, found, typed, typed_steps)
        return steps

    def variable(
        self,
        node: Node,
        one: Node,
        found: Declared,
        typed: Node | None,
        typed_steps: Sequence[Step],
    ) -> list[Step]:
        """Declare a variable, constant or field; its initialiser belongs to the file."""
        words = {
            self.name(kid)
            for kid in node.children
            if kid.type in ("storage_class_specifier", "type_qualifier")
        }
        value = one.child_by_field_name("value") or node.child_by_field_name("default_value")
        fixed = bool({"const", "constexpr", "constinit"} & words) and not any(
            kid.type == "pointer_declarator" for kid in [one, *one.named_children]
        )
        kind = type_of(self, typed)
        inside = self.in_type()
        detail = self.placed(
            {
                "decl": ("extern" in words and value is None)
                or (inside and "static" in words and value is None),
                "static": "static" in words and not inside,
                "type": None if found.pointer else kind,
                "qual": found.path[:-1],
                "member": inside and "static" in words,
                "plain": not any(
                    kid.type.startswith(("pointer", "reference"))
                    for kid in [one, *one.named_children]
                ),
            }
        )
        instance = inside and "static" not in words
        sort = "field" if instance else "constant" if fixed else "variable"
        index = self.symbol(found.path[-1], sort, self.owner, node, None, detail)
        if kind == ["auto"] and value is not None:
            self.facts.symbols[index].detail["value"] = UNKNOWN

        def make() -> None:
            plain = (
                bool(kind)
                and kind[0] == "T"
                and not any(kid.type.startswith("pointer") for kid in one.named_children)
            )
            if (
                plain
                and value is not None
                and value.type in ("argument_list", "initializer_list")
                and not instance
            ):
                self.made(
                    kind, len(value.named_children), node, maybe=value.type == "initializer_list"
                )
            if kind == ["auto"] and value is not None:
                self.facts.symbols[index].detail["value"] = self.of(value)

        owned = self.inside(index, typed_steps) if not instance else list(typed_steps)
        return [*owned, *present(value), make]

    def visit_field_initializer(self, node: Node) -> list[Step]:
        """Record the constructor that an initialiser of a base or member calls."""
        name, given = (
            next(iter(node.named_children), None),
            node.named_children[-1] if node.named_children else None,
        )
        path = path_of(self, name)
        if path and given is not None and given != name:
            count = len([one for one in given.named_children if one.type != "comment"])
            self.ref("calls", name or node, {"ctx": self.context(), "init": path, "args": count})
        return [*(given.named_children if given is not None and given != name else [])]


def extract(root: Node, source: bytes, grammar: object) -> Facts:
    """Return the facts of one C or C++ file.

    It is parsed again when macros hide declarations from the grammar.
    """
    plain = blanked(source)
    if plain != source:
        root = Parser(Grammar(grammar)).parse(plain).root_node
    walk = FamilyWalk(source)
    walk.run(root)
    return walk.finish(root, {"contexts": [list(one) for one in walk.contexts]})
