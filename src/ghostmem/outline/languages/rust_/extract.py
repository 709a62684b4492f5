"""Rust: the facts of one file. The arguments of macros are token trees and are not parsed."""

from typing import Any, ClassVar

from tree_sitter import Node

from ghostmem.outline.facts import FILE, Facts
from ghostmem.outline.languages.rust_.bodies import RustBodyWalk
from ghostmem.outline.languages.rust_.syntax import (
    attributes_of,
    bounds_of,
    derives_of,
    generics_of,
    is_public,
    path_of,
    type_of,
    use_paths,
)
from ghostmem.outline.languages.shared.postorder import UNKNOWN, Step, fields_of, present


class RustWalk(RustBodyWalk):
    """Collect the facts of one Rust file."""

    silent = (
        "attribute_item inner_attribute_item visibility_modifier lifetime label line_comment "
        "block_comment string_literal token_tree lifetime_parameter extern_modifier"
    ).split()
    scoped = ("block", "while_expression")  # names that a condition binds stay inside the loop
    visited_fields: ClassVar = {
        "field_declaration": ("type",),
        "field_expression": ("value",),
        "enum_variant": ("body", "value"),
        "associated_type": ("bounds",),
        "type_parameter": ("bounds", "default_type"),
        "type_binding": ("type",),
    }
    same: ClassVar = {
        "function_signature_item": "function_item",
        **dict.fromkeys(("union_item", "enum_item", "trait_item", "type_item"), "struct_item"),
        "compound_assignment_expr": "assignment_expression",
        "static_item": "const_item",
        "let_condition": "let_declaration",
    }

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.macros = 0

    def item(self, node: Node, kind: str, detail: dict[str, Any], name: str = "") -> int:
        """Declare an item where it stands: in a module, a function, a trait, or an impl block."""
        detail["pub"] = is_public(node)
        body = node.child_by_field_name("body")
        name = name or self.name(node.child_by_field_name("name"))
        return self.symbol(name, kind, self.owner, node, body, detail)

    def owner_kind(self) -> str:
        """Return the kind of the symbol that we stand in; empty outside of all."""
        return self.facts.symbols[self.owner].kind if self.owner != FILE else ""

    def visit_function_item(self, node: Node) -> list[Step]:
        """Declare a function and bind its parameters."""
        parameters, result = (
            node.child_by_field_name("parameters"),
            node.child_by_field_name("return_type"),
        )
        detail = {"generics": generics_of(self, node), "ret": type_of(self, result)}
        inside_type = self.owner_kind() in ("interface", "impl")
        index = self.item(node, "method" if inside_type else "function", detail)

        def bind() -> None:
            for one in parameters.named_children if parameters else []:
                pattern = one.child_by_field_name("pattern") if one.type == "parameter" else None
                if pattern is not None and pattern.type != "self":
                    written = type_of(self, one.child_by_field_name("type"))
                    self.pattern(pattern, self.expr("as", written, index))

        where = [child for child in node.named_children if child.type == "where_clause"]
        head = present(node.child_by_field_name("type_parameters"), parameters, result, *where)
        steps = [*head, bind, *present(node.child_by_field_name("body"))]
        return self.inside(index, steps)

    def visit_parameters(self, node: Node) -> list[Step]:
        """Visit the types of parameters; their patterns are bound by the function."""
        return [
            kid
            for one in node.named_children
            for kid in present(one.child_by_field_name("type") if one.type == "parameter" else one)
        ]

    def visit_struct_item(self, node: Node) -> list[Step]:
        """Declare a struct, union, enum or trait, or the alias of a type; a trait extends its
        bounds.
        """
        alias = node.child_by_field_name("type")
        if alias is not None and self.owner_kind() == "impl":
            return [alias]  # an associated type is a fact of its impl
        bounds, body = node.child_by_field_name("bounds"), node.child_by_field_name("body")
        detail = {
            "generics": generics_of(self, node),
            "derives": derives_of(self, node),
            "bounds": bounds_of(self, bounds),
            "alias": type_of(self, alias),
            "enum": node.type == "enum_item",
        }
        is_trait = node.type == "trait_item"
        index = self.item(node, "interface" if is_trait else "type", detail)
        if not is_trait:
            self.fields(body, index)
        for bound in bounds.named_children if bounds else []:
            if path := path_of(self, bound):
                self.ref("extends", bound, {"path": path}, index)
        return self.inside(index, [*fields_of(node, ("type_parameters", "body")), *present(alias)])

    def fields(self, body: Node | None, parent: int) -> None:
        """Declare the fields of a struct, named or numbered, or the variants of an enum."""
        number = 0
        for place, child in enumerate(body.children if body is not None else []):
            name, kind = child.child_by_field_name("name"), child.child_by_field_name("type")
            if child.type == "enum_variant":
                detail = {"variant": True}
                variant = self.symbol(self.name(name), "field", parent, child, None, detail)
                self.fields(child.child_by_field_name("body"), variant)
            elif child.type == "field_declaration":
                detail = {"type": type_of(self, kind)}
                self.symbol(self.name(name), "field", parent, child, None, detail)
            elif body is not None and body.field_name_for_child(place) == "type":
                detail = {"type": type_of(self, child)}
                self.symbol(str(number), "field", parent, child, None, detail)
                number += 1

    def visit_impl_item(self, node: Node) -> list[Step]:
        """Record an impl block as a symbol without a node; its functions belong to its type."""
        kind, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
        body = node.child_by_field_name("body")
        detail = {
            "type": type_of(self, kind),
            "trait": type_of(self, trait),
            "written": [self.text(kind), self.text(trait)],
            "generics": generics_of(self, node),
            "types": {
                self.name(item.child_by_field_name("name")): type_of(
                    self, item.child_by_field_name("type")
                )
                for item in (body.named_children if body else [])
                if item.type == "type_item"
            },
        }
        index = self.symbol("impl", "impl", self.owner, node, body, detail)
        return self.inside(index, present(body))

    def visit_const_item(self, node: Node) -> list[Step]:
        """Declare a constant or static; its initialiser belongs to the symbol around it."""
        kind = "constant" if node.type == "const_item" else "variable"
        typed = node.child_by_field_name("type")
        index = self.item(node, kind, {"type": type_of(self, typed)})
        if self.owner_kind() in ("function", "method"):
            for scope in self.scopes:
                scope.pop(self.facts.symbols[index].name, None)
        return [*self.inside(index, present(typed)), *present(node.child_by_field_name("value"))]

    def visit_mod_item(self, node: Node) -> list[Step]:
        """Declare a module, inline or in a file of its own."""
        body = node.child_by_field_name("body")
        name = self.name(node.child_by_field_name("name"))
        if body is not None:
            return self.inside(self.item(node, "module", {}), [body])
        notes = attributes_of(self, node)
        opens = any(one.startswith("#[macro_use") for one in notes)
        given = next(
            (
                one.split('"')[1]
                for one in notes
                if one.startswith("#[path") and one.count('"') >= 2
            ),
            "",
        )
        self.bring(
            name,
            node,
            name,
            detail={"mod": True, "path": given, "macros": opens, "pub": is_public(node)},
        )
        return []

    def visit_use_declaration(self, node: Node) -> list[Step]:
        """Record every path that a use brings in."""
        public = is_public(node)
        for path, alias, star, where in use_paths(self, node.child_by_field_name("argument")):
            self.bring(
                "::".join(path),
                where,
                path[-1] if path else "",
                alias,
                star=star,
                detail={"pub": public},
            )
        return []

    def visit_extern_crate_declaration(self, node: Node) -> list[Step]:
        """Record an external crate."""
        name = self.name(node.child_by_field_name("name"))
        alias = self.name(node.child_by_field_name("alias"))
        self.bring(name, node, name, alias, detail={"pub": False, "crate": True})
        return []

    def visit_macro_definition(self, node: Node) -> list[Step]:
        """Declare a macro under its name with an exclamation mark."""
        self.item(
            node, "function", {"macro": True}, self.name(node.child_by_field_name("name")) + "!"
        )
        return []

    def visit_macro_invocation(self, node: Node) -> list[Step]:
        """Record the call of a macro; its arguments are not parsed."""
        macro = node.child_by_field_name("macro")
        if macro is not None:
            self.macros += 1
            segs = path_of(self, macro) or [self.name(macro)]
            self.ref("calls", macro, {"macro": segs})
        return []

    # types

    def visit_type_identifier(self, node: Node) -> list[Step]:
        """Record the use of a type."""
        if (name := self.name(node)) not in ("Self", "_"):
            self.ref("uses", node, {"path": [name]})
        return []

    def visit_scoped_type_identifier(self, node: Node) -> list[Step]:
        """Record the use of a type by its path."""
        if path := path_of(self, node):
            self.ref("uses", node, {"path": path})
            return []
        return present(node.child_by_field_name("path"))

    def visit_const_parameter(self, node: Node) -> list[Step]:
        """Bind a constant parameter; it is no reference."""
        self.bind(self.name(node.child_by_field_name("name")), None, UNKNOWN)
        return present(node.child_by_field_name("type"))


def extract(root: Node, source: bytes, _path: str) -> Facts:
    """Return the facts of one Rust file."""
    walk = RustWalk(source)
    walk.run(root)
    return walk.finish(root, {"macros": walk.macros})
