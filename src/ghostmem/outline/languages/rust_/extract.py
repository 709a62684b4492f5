"""Rust: the facts of one file. The arguments of macros are token trees and are not parsed."""

from functools import partial
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
        "closure_parameters": "parameters",
        **dict.fromkeys(("union_item", "enum_item", "trait_item", "type_item"), "struct_item"),
        "compound_assignment_expr": "assignment_expression",
        "static_item": "const_item",
        "let_condition": "let_declaration",
        "identifier": "scoped_identifier",
        "type_identifier": "scoped_type_identifier",
    }

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.macros = 0

    def item(self, node: Node, kind: str, name: str = "", **detail: Any) -> int:
        """Declare an item where it stands: in a module, a function, a trait, or an impl block.

        Its type is that of a constant, an alias or an impl block, or of the result of a function.
        """
        field = node.child_by_field_name
        detail |= {
            "pub": is_public(node),
            "generics": generics_of(self, node),
            "type": type_of(self, field("type") or field("return_type")),
        }
        name = name or self.name(field("name"))
        return self.symbol(name, kind, self.owner, node, field("body"), detail)

    def owner_kind(self) -> str:
        """Return the kind of the symbol that we stand in; empty outside of all."""
        return self.facts.symbols[self.owner].kind if self.owner != FILE else ""

    def visit_function_item(self, node: Node) -> list[Step]:
        """Declare a function and bind its parameters."""
        inside_type = self.owner_kind() in ("interface", "impl")
        index = self.item(node, "method" if inside_type else "function")
        where = [child for child in node.named_children if child.type == "where_clause"]
        head = fields_of(node, ("type_parameters", "parameters", "return_type"))
        bind = partial(self.bind_parameters, node.child_by_field_name("parameters"))
        return self.inside(index, [*head, *where, bind, *fields_of(node, ("body",))])

    def visit_parameters(self, node: Node) -> list[Step]:
        """Visit the types of parameters; their patterns are bound by the function or closure."""
        steps: list[Step] = []
        for child in node.named_children:
            if child.type == "parameter":
                steps += fields_of(child, ("type",))
            elif node.type == "parameters":
                steps.append(child)
        return steps

    def visit_struct_item(self, node: Node) -> list[Step]:
        """Declare a struct, union, enum or trait, or the alias of a type; a trait extends its
        bounds.
        """
        alias, is_trait = node.child_by_field_name("type"), node.type == "trait_item"
        if alias is not None and self.owner_kind() == "impl":
            return [alias]  # an associated type is a fact of its impl
        bounds, body = node.child_by_field_name("bounds"), node.child_by_field_name("body")
        kind, derives = ("interface" if is_trait else "type"), derives_of(self, node)
        index = self.item(node, kind, derives=derives, bounds=bounds_of(self, bounds))
        if not is_trait:
            self.fields(body, index)
        for bound in bounds.named_children if bounds else []:
            if path := path_of(self, bound):
                self.ref("extends", bound, {"path": path, "space": "type"}, index)
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
        types = {
            self.name(item.child_by_field_name("name")): type_of(
                self, item.child_by_field_name("type")
            )
            for item in (body.named_children if body else [])
            if item.type == "type_item"
        }
        written = [self.text(kind), self.text(trait)]
        named = type_of(self, trait)
        index = self.item(node, "impl", "impl", trait=named, written=written, types=types)
        return self.inside(index, present(body))

    def visit_const_item(self, node: Node) -> list[Step]:
        """Declare a constant or static; its initialiser belongs to the symbol around it."""
        kind = "constant" if node.type == "const_item" else "variable"
        index = self.item(node, kind)
        if self.owner_kind() in ("function", "method"):
            for scope in self.scopes:
                scope.pop(self.facts.symbols[index].name, None)
        return [*self.inside(index, fields_of(node, ("type",))), *fields_of(node, ("value",))]

    def visit_mod_item(self, node: Node) -> list[Step]:
        """Declare a module, inline or in a file of its own."""
        body = node.child_by_field_name("body")
        name = self.name(node.child_by_field_name("name"))
        if body is not None:
            return self.inside(self.item(node, "module"), [body])
        attributes = attributes_of(self, node)
        paths = [text.split('"')[1:2] for text in attributes if text.startswith("#[path")]
        detail = {
            "mod": True,
            "path": next((path for quoted in paths for path in quoted), ""),
            "macros": any(text.startswith("#[macro_use") for text in attributes),
            "pub": is_public(node),
        }
        self.bring(name, node, name, detail=detail)
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
        self.item(node, "function", f"{self.name(node.child_by_field_name('name'))}!", macro=True)
        return []

    def visit_macro_invocation(self, node: Node) -> list[Step]:
        """Record the call of a macro; its arguments are not parsed."""
        macro = node.child_by_field_name("macro")
        if macro is not None:
            self.macros += 1
            path = path_of(self, macro) or [self.name(macro)]
            self.ref("calls", macro, {"path": path, "space": "macro"})
        return []

    # types

    def visit_scoped_type_identifier(self, node: Node) -> list[Step]:
        """Record the use of a type by its name or path."""
        path = path_of(self, node)
        if path and path not in (["Self"], ["_"]):
            self.ref("uses", node, {"path": path, "space": "type"})
        return [] if path else fields_of(node, ("path",))

    def visit_const_parameter(self, node: Node) -> list[Step]:
        """Bind a constant parameter; it is no reference."""
        self.bind(self.name(node.child_by_field_name("name")), None, UNKNOWN)
        return present(node.child_by_field_name("type"))


def extract(root: Node, source: bytes, _path: str) -> Facts:
    """Return the facts of one Rust file."""
    walk = RustWalk(source)
    walk.run(root)
    return walk.finish(root, {"macros": walk.macros})
