"""C and C++: includes, namespaces and types."""

from typing import Any, ClassVar

from tree_sitter import Node

from ghostmem.outline.facts import FILE
from ghostmem.outline.languages.cfamily_.bodies import CppBodyWalk
from ghostmem.outline.languages.cfamily_.syntax import declared, path_of, type_of
from ghostmem.outline.languages.shared.postorder import Step, present


class RecordWalk(CppBodyWalk):
    """Declare types, in their namespaces."""

    same: ClassVar = {
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

    def visit_preproc_ifdef(self, node: Node) -> list[Step]:
        """Visit both branches of a condition, not its name."""
        return [kid for kid in node.named_children if kid != node.child_by_field_name("name")]

    def visit_preproc_if(self, node: Node) -> list[Step]:
        """Visit both branches of a condition, not the condition."""
        return [kid for kid in node.named_children if kid != node.child_by_field_name("condition")]

    def visit_namespace_definition(self, node: Node) -> list[Step]:
        """Enter a namespace; an inline one is transparent, one without a name hides what
        it holds.
        """
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
        self.bring(
            "::".join(target),
            node,
            alias=self.name(node.child_by_field_name("name")),
            detail={"ctx": self.context()},
        )
        return []

    def visit_using_declaration(self, node: Node) -> list[Step]:
        """Record `using a::b` and `using namespace a`."""
        path = next((path_of(self, kid) for kid in node.named_children), [])
        star = any(kid.type == "namespace" for kid in node.children)
        if path:
            self.bring("::".join(path), node, path[-1], star=star, detail={"ctx": self.context()})
        return []

    def visit_template_declaration(self, node: Node) -> list[Step]:
        """Remember the parameters of a template for its declaration."""
        held = node.child_by_field_name("parameters")
        names = [
            self.name(
                next((kid for kid in one.named_children if kid.type == "type_identifier"), None)
            )
            for one in (held.named_children if held is not None else [])
        ]

        def enter() -> None:
            self.template = [name for name in names if name]

        return [enter, *(kid for kid in node.named_children if kid != held)]

    # types

    def visit_struct_specifier(self, node: Node) -> list[Step]:
        """Declare a struct, class or union with a body; without one it is used."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if body is None:
            path = path_of(self, name)
            if path:
                self.use(node, path)
            return []
        path = path_of(self, name) or ([self.named] if self.named else [])
        self.named = ""
        if not path:
            return [body] if self.in_type() else []
        clauses = [kid for kid in node.named_children if kid.type == "base_class_clause"]
        bases = [
            kid
            for clause in clauses[:1]
            for kid in clause.named_children
            if kid.type != "access_specifier"
        ]
        types = [found for one in bases if (found := type_of(self, one))]
        detail = self.placed({"tag": name is not None, "bases": types, "qual": path[:-1]})
        index = self.symbol(path[-1], "type", self.owner, node, body, detail)
        for one in bases:
            if found := path_of(self, one):
                detail = {"path": found, "tag": False}
                self.ref("extends", one, detail, index)
        return self.inside(index, self.during("function", False, [body]))

    def visit_enum_specifier(self, node: Node) -> list[Step]:
        """Declare an enum with its constants."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        path = path_of(self, name) or ([self.named] if self.named else [])
        self.named = ""
        if body is None:
            if path:
                self.use(node, path)
            return []
        scoped = any(kid.type in ("class", "struct") for kid in node.children)
        index = self.owner
        if path:
            detail = self.placed({"tag": name is not None, "enum": True, "scoped": scoped})
            index = self.symbol(path[-1], "type", self.owner, node, body, detail)
        for one in body.named_children:
            if one.type == "enumerator":
                detail = self.placed(
                    {"scoped": scoped, "type": ["T", path, [], name is not None] if path else None}
                )
                self.symbol(
                    self.name(one.child_by_field_name("name")), "constant", index, one, None, detail
                )
        return [
            value
            for one in body.named_children
            for value in present(one.child_by_field_name("value"))
        ]

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
