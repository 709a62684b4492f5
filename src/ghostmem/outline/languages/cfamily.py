"""C and C++: what one file says: types, functions, variables, includes; `extract` serves both languages."""

from collections.abc import Sequence
from typing import Any

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser

from ghostmem.outline.facts import FILE, Facts
from ghostmem.outline.languages.cfamily_body import BodyWalk
from ghostmem.outline.languages.cfamily_macros import blanked
from ghostmem.outline.languages.cfamily_syntax import Declared, declared, parameters_of, path_of, type_of
from ghostmem.outline.languages.postorder import UNKNOWN, Step, present


class FamilyWalk(BodyWalk):
    """Collect the facts of one C or C++ file."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.template: list[str] = []
        self.anonymous = 0
        self.named = ""  # for a struct without a name: that of its typedef
        for name in ("struct_specifier", "class_specifier", "union_specifier"):
            self.visitors[name] = self.record

    def placed(self, extra: dict[str, Any]) -> dict[str, Any]:
        """Return the details that every symbol has."""
        template, self.template = self.template, []
        return {"ns": "::".join(self.ns), "hidden": self.anonymous > 0, "tparams": template} | extra

    def in_type(self) -> bool:
        """Tell whether we stand directly in the body of a type."""
        return self.owner != FILE and self.facts.symbols[self.owner].kind == "type" and not self.function

    # files and namespaces

    def visit_preproc_include(self, node: Node) -> list[Step]:
        """Record an include."""
        path = node.child_by_field_name("path")
        text = self.name(path)
        if text[:1] in ('"', "<"):
            self.bring(text[1:-1], node, detail={"system": text[0] == "<"})
        return []

    def visit_preproc_ifdef(self, node: Node) -> list[Step]:
        """Visit both branches of a condition, not its name."""
        return [kid for kid in node.named_children if kid != node.child_by_field_name("name")]

    def visit_preproc_if(self, node: Node) -> list[Step]:
        """Visit both branches of a condition, not the condition."""
        return [kid for kid in node.named_children if kid != node.child_by_field_name("condition")]

    visit_preproc_elif = visit_preproc_if

    def visit_namespace_definition(self, node: Node) -> list[Step]:
        """Enter a namespace; an inline one is transparent, one without a name hides what it holds."""
        name = node.child_by_field_name("name")
        path = path_of(self, name)
        inline = any(kid.type == "inline" for kid in node.children)
        before = list(self.ns)

        def enter() -> None:
            self.ns = before if inline else [*before, *path]
            self.anonymous += name is None

        def leave() -> None:
            self.ns = before
            self.anonymous -= name is None

        return [enter, *present(node.child_by_field_name("body")), leave]

    def visit_namespace_alias_definition(self, node: Node) -> list[Step]:
        """Record `namespace a = b::c`."""
        target = next((path_of(self, kid) for kid in node.named_children[1:]), [])
        self.bring("::".join(target), node, alias=self.name(node.child_by_field_name("name")), detail={"ctx": self.context()})
        return []

    def visit_using_declaration(self, node: Node) -> list[Step]:
        """Record `using a::b` and `using namespace a`."""
        path = next((path_of(self, kid) for kid in node.named_children), [])
        star = any(kid.type == "namespace" for kid in node.children)
        if path:
            self.bring("::".join(path), node, path[-1], star=star, detail={"ctx": self.context()})
        return []

    def visit_template_declaration(self, node: Node) -> list[Step]:
        """Remember the parameters of a template for what it declares."""
        held = node.child_by_field_name("parameters")
        names = [
            self.name(next((kid for kid in one.named_children if kid.type == "type_identifier"), None))
            for one in (held.named_children if held is not None else [])
        ]

        def enter() -> None:
            self.template = [name for name in names if name]

        return [enter, *(kid for kid in node.named_children if kid != held)]

    # types

    def record(self, node: Node) -> list[Step]:
        """Declare a struct, class or union with a body; without one it is used."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if body is None:
            path = path_of(self, name)
            if path:
                self.ref("uses", node, {"ctx": self.context(), "path": path, "tag": True})
            return []
        path = path_of(self, name) or ([self.named] if self.named else [])
        self.named = ""
        bases = next((kid for kid in node.named_children if kid.type == "base_class_clause"), None)
        held = [kid for kid in (bases.named_children if bases is not None else []) if kid.type != "access_specifier"]
        if not path:
            return [body] if self.in_type() else []
        types = [found for one in held if (found := type_of(self, one))]
        detail = self.placed({"tag": name is not None, "bases": types, "qual": path[:-1], "record": True})
        index = self.symbol(path[-1], "type", self.owner, node, body, detail)
        for one in held:
            if found := path_of(self, one):
                self.ref("extends", one, {"ctx": self.context(), "path": found, "tag": False}, index)
        before = self.function

        def enter() -> None:
            self.function = False

        def leave() -> None:
            self.function = before

        return self.inside(index, [enter, body, leave])

    def visit_enum_specifier(self, node: Node) -> list[Step]:
        """Declare an enum with its constants."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        path = path_of(self, name) or ([self.named] if self.named else [])
        self.named = ""
        if body is None:
            if path:
                self.ref("uses", node, {"ctx": self.context(), "path": path, "tag": True})
            return []
        scoped = any(kid.type in ("class", "struct") for kid in node.children)
        index = self.owner
        if path:
            detail = self.placed({"tag": name is not None, "enum": True, "scoped": scoped})
            index = self.symbol(path[-1], "type", self.owner, node, body, detail)
        for one in body.named_children:
            if one.type == "enumerator":
                detail = self.placed({"scoped": scoped, "type": ["T", path, [], name is not None] if path else None})
                self.symbol(self.name(one.child_by_field_name("name")), "constant", index, one, None, detail)
        return [value for one in body.named_children for value in present(one.child_by_field_name("value"))]

    def visit_type_definition(self, node: Node) -> list[Step]:
        """Declare a typedef; one that only repeats its struct's name is no second symbol."""
        typed = node.child_by_field_name("type")
        found = [one for kid in node.children_by_field_name("declarator") if (one := declared(self, kid)) is not None]
        steps: list[Step] = []
        for at, one in enumerate(found):
            inner = typed.child_by_field_name("name") if typed is not None and typed.type.endswith("_specifier") else None
            body = typed.child_by_field_name("body") if typed is not None and typed.type.endswith("_specifier") else None
            if at == 0 and body is not None and inner is None:
                self.named = one.path[-1]
            elif inner is None or self.name(inner) != one.path[-1] or body is None:
                kind = None if one.function is not None or one.pointer else type_of(self, typed)
                detail = self.placed({"alias": kind, "tag": False})
                index = self.symbol(one.path[-1], "type", self.owner, node, None, detail)
                if body is None:
                    steps += self.inside(index, present(typed))
                elif inner is not None and typed is not None:
                    detail = {"ctx": self.context(), "path": path_of(self, inner), "tag": True}
                    self.ref("uses", inner, detail, index)
        return [*([] if steps else present(typed)), *steps]

    def visit_alias_declaration(self, node: Node) -> list[Step]:
        """Declare `using T = ...`."""
        typed = node.child_by_field_name("type")
        detail = self.placed({"alias": type_of(self, typed), "tag": False})
        index = self.symbol(self.name(node.child_by_field_name("name")), "type", self.owner, node, None, detail)
        return self.inside(index, present(typed), fresh=False)

    # functions and variables

    def visit_function_definition(self, node: Node) -> list[Step]:
        """Declare a function with a body and bind its parameters."""
        found = declared(self, node.child_by_field_name("declarator"))
        body = node.child_by_field_name("body")
        typed = node.child_by_field_name("type")
        if found is None or found.function is None:
            return present(typed, body)
        nodes, _, _ = parameters_of(self, found.function)
        index = self.declare_function(node, found, typed, body)
        before = self.function

        def enter() -> None:
            self.function = True

        def leave() -> None:
            self.function = before

        lists = [kid for kid in node.named_children if kid.type in ("field_initializer_list", "declaration", "try_statement")]
        trailing = [kid for kid in found.function.named_children if kid.type == "trailing_return_type"]
        steps = [*present(typed, *trailing), *self.parameters(nodes), enter, *lists, *present(body), leave]
        return self.inside(index, steps)

    def declare_function(self, node: Node, found: Declared, typed: Node | None, body: Node | None) -> int:
        """Declare a function or method, with a body or without."""
        _, takes, types = parameters_of(self, found.function)
        kinds = {
            self.name(kid) for kid in node.children if kid.type in ("storage_class_specifier", "virtual", "virtual_specifier")
        }
        after = {
            self.name(kid) for kid in (found.function.named_children if found.function else []) if kid.type == "virtual_specifier"
        }
        default = node.child_by_field_name("default_value")
        clause = any(kid.type in ("default_method_clause", "delete_method_clause") for kid in node.children)
        detail = self.placed(
            {
                "decl": body is None and not clause and not any(kid.type == "try_statement" for kid in node.children),
                "static": "static" in kinds,
                "virtual": bool({"virtual"} & kinds or {"override", "final"} & after),
                "pure": default is not None and self.name(default) == "0",
                "params": takes,
                "types": types,
                "ret": self.returned(typed, found.function),
                "qual": found.path[:-1],
                "deleted": any(kid.type == "delete_method_clause" for kid in node.children),
            }
        )
        macro = typed is None and body is not None and not self.in_type() and found.path[-1].isupper() and len(found.path) == 1
        name = self.text(found.function) if macro else found.path[-1]  # TEST(Suite, Case) { ... }
        kind = "method" if self.in_type() else "function"
        return self.symbol(name, kind, self.owner if not self.function else FILE, node, body, detail)

    def returned(self, typed: Node | None, function: Node | None) -> Any:
        """Return the type that a function gives back, also when it stands after an arrow."""
        trailing = next(
            (kid for kid in (function.named_children if function else []) if kid.type == "trailing_return_type"), None
        )
        return type_of(self, next(iter(trailing.named_children), None) if trailing is not None else typed)

    def visit_declaration(self, node: Node) -> list[Step]:
        """Declare functions and variables; inside a body bind locals."""
        return self.locals(node) if self.function else self.members(node)

    def visit_field_declaration(self, node: Node) -> list[Step]:
        """Declare fields and methods."""
        return self.members(node)

    def members(self, node: Node) -> list[Step]:
        """Declare everything that a declaration outside of bodies names."""
        typed = node.child_by_field_name("type")
        held = node.children_by_field_name("declarator")
        if typed is not None and not held and typed.type.endswith("_specifier") and typed.child_by_field_name("body") is None:
            return []  # a forward declaration
        steps: list[Step] = []
        template = self.template
        if typed is not None and typed.child_by_field_name("body") is not None and typed.type.endswith("_specifier"):
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

    def variable(self, node: Node, one: Node, found: Declared, typed: Node | None, typed_steps: Sequence[Step]) -> list[Step]:
        """Declare a variable, constant or field; its initialiser belongs to the file."""
        words = {self.name(kid) for kid in node.children if kid.type in ("storage_class_specifier", "type_qualifier")}
        value = one.child_by_field_name("value") or node.child_by_field_name("default_value")
        fixed = bool({"const", "constexpr", "constinit"} & words) and not any(
            kid.type == "pointer_declarator" for kid in [one, *one.named_children]
        )
        kind = type_of(self, typed)
        inside = self.in_type()
        detail = self.placed(
            {
                "decl": ("extern" in words and value is None) or (inside and "static" in words and value is None),
                "static": "static" in words and not inside,
                "type": None if found.pointer else kind,
                "qual": found.path[:-1],
                "member": inside and "static" in words,
                "plain": not any(kid.type.startswith(("pointer", "reference")) for kid in [one, *one.named_children]),
            }
        )
        instance = inside and "static" not in words
        sort = "field" if instance else "constant" if fixed else "variable"
        index = self.symbol(found.path[-1], sort, self.owner, node, None, detail)
        if kind == ["auto"] and value is not None:
            self.facts.symbols[index].detail["value"] = UNKNOWN

        def make() -> None:
            plain = bool(kind) and kind[0] == "T" and not any(kid.type.startswith("pointer") for kid in one.named_children)
            if plain and value is not None and value.type in ("argument_list", "initializer_list") and not instance:
                self.made(kind, len(value.named_children), node, maybe=value.type == "initializer_list")
            if kind == ["auto"] and value is not None:
                self.facts.symbols[index].detail["value"] = self.of(value)

        owned = self.inside(index, typed_steps) if not instance else list(typed_steps)
        return [*owned, *present(value), make]

    def visit_field_initializer(self, node: Node) -> list[Step]:
        """Record the constructor that an initialiser of a base or member calls."""
        name, given = next(iter(node.named_children), None), node.named_children[-1] if node.named_children else None
        path = path_of(self, name)
        if path and given is not None and given != name:
            count = len([one for one in given.named_children if one.type != "comment"])
            self.ref("calls", name or node, {"ctx": self.context(), "init": path, "args": count})
        return [*(given.named_children if given is not None and given != name else [])]


def extract(root: Node, source: bytes, grammar: object) -> Facts:
    """Return the facts of one C or C++ file; it is parsed again when macros hide declarations from the grammar."""
    plain = blanked(source)
    if plain != source:
        root = Parser(Grammar(grammar)).parse(plain).root_node
    walk = FamilyWalk(source)
    walk.run(root)
    return walk.finish(root, {"contexts": [list(one) for one in walk.contexts]})
