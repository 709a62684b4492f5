"""C and C++: includes, namespaces and types."""

from typing import Any, ClassVar

from tree_sitter import Node

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.cfamily_.bodies import CppBodyWalk
from ghostmem.outline.languages.cfamily_.syntax import declared, path_of, type_of
from ghostmem.outline.languages.shared.postorder import Step, present

_SCOPED = frozenset({"class", "struct"})  # words after `enum`


class RecordWalk(CppBodyWalk):
    """Declare types, in their namespaces."""

    same: ClassVar = {
        **CppBodyWalk.same,
        "enum_specifier": "struct_specifier",
        "namespace_alias_definition": "using_declaration",
        "preproc_ifdef": "preproc_if",
        "class_specifier": "struct_specifier",
        "union_specifier": "struct_specifier",
        "preproc_elif": "preproc_if",
        "field_declaration": "declaration",
    }

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.template: list[str] = []
        self.anonymous = 0
        self.named = ""  # for a struct without a name: that of its typedef

    def placed(self, extra: dict[str, Any]) -> dict[str, Any]:
        """Return the details that every symbol has."""
        template, self.template = self.template, []
        return {"ns": "::".join(self.ns), "hidden": self.anonymous > 0, "tparams": template} | extra

    def in_type(self) -> bool:
        """Tell whether we stand directly in the body of a type."""
        return (
            self.owner != FILE
            and self.facts.symbols[self.owner].kind == "type"
            and not self.function
        )

    # files and namespaces

    def visit_preproc_include(self, node: Node) -> list[Step]:
        """Record an include."""
        path = node.child_by_field_name("path")
        text = self.name(path)
        if text[:1] in ('"', "<"):
            self.bring(text[1:-1], node, detail={"system": text[0] == "<"})
        return []

    def visit_preproc_if(self, node: Node) -> list[Step]:
        """Visit both branches of a condition, not the condition."""
        condition = node.child_by_field_name("condition") or node.child_by_field_name("name")
        return [child for child in node.named_children if child != condition]

    def visit_namespace_definition(self, node: Node) -> list[Step]:
        """Enter a namespace; an inline one is transparent, one without a name hides what
        it holds.
        """
        name = node.child_by_field_name("name")
        is_inline = any(child.type == "inline" for child in node.children)
        inner = self.ns if is_inline else [*self.ns, *path_of(self, name)]
        steps = self.during("ns", inner, present(node.child_by_field_name("body")))
        return self.during("anonymous", self.anonymous + (name is None), steps)

    def visit_using_declaration(self, node: Node) -> list[Step]:
        """Record `using a::b`, `using namespace a` and `namespace a = b::c`."""
        alias = node.child_by_field_name("name")
        path = next((path_of(self, kid) for kid in node.named_children if kid != alias), [])
        star = alias is None and any(child.type == "namespace" for child in node.children)
        if path:
            place = {"ctx": self.context()}
            names = (path[-1], self.name(alias))
            self.bring("::".join(path), node, *names, star=star, detail=place)
        return []

    def visit_template_declaration(self, node: Node) -> list[Step]:
        """Remember the parameters of a template for its declaration."""
        parameters = node.child_by_field_name("parameters")
        names = [
            next((child for child in one.named_children if child.type == "type_identifier"), None)
            for one in (parameters.named_children if parameters is not None else [])
        ]
        self.template = [self.name(name) for name in names if name is not None]
        return [child for child in node.named_children if child != parameters]

    # types

    def visit_struct_specifier(self, node: Node) -> list[Step]:
        """Declare a struct, class, union or enum with a body; without one it is used."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        path = path_of(self, name) or ([self.named] if self.named else [])
        self.named = ""
        if body is None:
            if path:
                self.use(node, path)
            return []
        detail: dict[str, Any] = {"tag": name is not None}
        if node.type == "enum_specifier":
            return self.enum(node, body, path, detail)
        if not path:
            return [body] if self.in_type() else []
        clauses = [child for child in node.named_children if child.type == "base_class_clause"]
        bases = [base for clause in clauses[:1] for base in clause.named_children]
        types = [written for base in bases if (written := type_of(self, base))]
        detail |= {"bases": types, "qual": path[:-1]}
        index = self.symbol(path[-1], "type", self.owner, node, body, self.placed(detail))
        for base in bases:
            if found := path_of(self, base):
                self.ref("extends", base, {"path": found, "tag": False}, index)
        return self.inside(index, self.during("function", False, [body]))

    def enum(self, node: Node, body: Node, path: list[str], detail: dict[str, Any]) -> list[Step]:
        """Declare an enum with its constants; their values belong to the symbol around it."""
        detail |= {"enum": True, "scoped": any(kid.type in _SCOPED for kid in node.children)}
        written = ["T", path, [], detail["tag"]] if path else None
        index = self.owner
        if path:
            index = self.symbol(path[-1], "type", index, node, body, self.placed(detail))
        constants = [child for child in body.named_children if child.type == "enumerator"]
        for one in constants:
            name = self.name(one.child_by_field_name("name"))
            self.symbol(name, "constant", index, one, None, self.placed({"type": written}))
        values = (one.child_by_field_name("value") for one in body.named_children)
        return present(*values)

    def visit_type_definition(self, node: Node) -> list[Step]:
        """Declare a typedef; one that only repeats its struct's name is no second symbol."""
        typed = node.child_by_field_name("type")
        is_specifier = typed is not None and typed.type.endswith("_specifier")
        tag, body = (
            (typed.child_by_field_name(name) for name in ("name", "body"))
            if typed is not None and is_specifier
            else (None, None)
        )
        kids = node.children_by_field_name("declarator")
        found = [one for kid in kids if (one := declared(self, kid)) is not None]
        if found and body is not None and tag is None:
            self.named = found.pop(0).path[-1]
        steps: list[Step] = []
        for one in found:
            if body is not None and tag is not None and self.name(tag) == one.path[-1]:
                continue
            kind = None if one.function is not None or one.pointer else type_of(self, typed)
            detail = self.placed({"alias": kind, "tag": False})
            index = self.symbol(one.path[-1], "type", self.owner, node, None, detail)
            if body is None:
                steps += self.inside(index, present(typed))
            elif tag is not None:
                self.use(tag, path_of(self, tag), index)
        return steps or present(typed)

    def use(self, node: Node, path: list[str], owner: int | None = None) -> None:
        """Record the use of a struct, class, union or enum by its tag."""
        self.ref("uses", node, {"path": path, "tag": True}, owner)

    def visit_alias_declaration(self, node: Node) -> list[Step]:
        """Declare `using T = ...`."""
        typed = node.child_by_field_name("type")
        detail = self.placed({"alias": type_of(self, typed), "tag": False})
        index = self.symbol(
            self.name(node.child_by_field_name("name")), "type", self.owner, node, None, detail
        )
        return self.inside(index, present(typed), fresh=False)
