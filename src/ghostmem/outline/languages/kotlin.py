"""Kotlin: declarations, imports and base types. Imports win over the package; stars come last."""

import re

import tree_sitter_kotlin
from tree_sitter import Node

from ghostmem.outline.engine.extract import Walker, better_tree
from ghostmem.outline.engine.facts import CLASS, Unit
from ghostmem.outline.engine.language import language
from ghostmem.outline.engine.resolve import Resolver
from ghostmem.outline.engine.table import Form, names_in, read_table
from ghostmem.outline.engine.terms import OUTSIDE, Value
from ghostmem.outline.languages.declarations import STAR, DeclarationRules

TABLE = """
package_header               hook fn=package
import                       hook fn=import_
class_declaration,object_declaration,companion_object hook fn=type_
type_alias                   hook fn=symbol name=type kind=type
function_declaration         func name=name
secondary_constructor        func name=0 named=constructor
enum_entry                   hook fn=symbol name=0 kind=constant
property_declaration         hook fn=property
class_parameter              hook fn=parameter
anonymous_initializer,lambda_literal,object_literal,getter,setter,delegation_specifiers skip
"""
_PACKAGES = "annotation collections comparisons io ranges sequences text"
# packages that every file imports
_IMPLICIT = (*(f"kotlin.{name}" for name in _PACKAGES.split()), "kotlin", "java.lang")
# a text, or a blank before the brace that closes a body after something on the same line
_END = re.compile(rb'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|(?<=[^\s{;])[ \t]\}')


class Kotlin(DeclarationRules):
    """The rules of Kotlin."""

    name = "kotlin"
    forms = read_table(TABLE)
    natives = names_in("kotlin.txt")
    native_packages = ("kotlin", "java", "javax")

    def package(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note the package of the file."""
        walker.unit.package = _unquoted(walker.text(node.named_children[-1]))

    def import_(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note an import: of a name, under another name, or of everything in a package."""
        path, *alias = [_unquoted(walker.text(child)) for child in node.named_children]
        if any(child.type == "*" for child in node.children):
            walker.import_path(path, node, STAR)
            walker.unit.stars.append(path)
        else:
            self.import_name(walker, node, path, *alias[:1])

    def type_(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare a class, an interface or an object, with its bases.

        A class is called; what is not called is an interface, or a class that a secondary
        constructor calls."""
        name = node.child_by_field_name("name")
        is_interface = any(child.type == "interface" for child in node.children)
        symbol = walker.declare(
            node,
            _unquoted(walker.text(name)) if name is not None else "Companion",
            "interface" if is_interface else "type",
        )
        for child in node.named_children:
            specifiers = child.named_children if child.type == "delegation_specifiers" else []
            for base in (part for specifier in specifiers for part in specifier.named_children[:1]):
                is_called = base.type == "constructor_invocation"
                written = (
                    base if base.type == "user_type" else next(iter(base.named_children), base)
                )
                relation = "extends" if is_called or is_interface else "implements"
                self.base(walker, symbol, relation, written)
        walker.type_body(symbol, node)

    def property(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare a property, or several by a pattern."""
        for child in node.named_children:
            if child.type == "variable_declaration":
                is_constant = b"const" in walker.source[node.start_byte : child.start_byte].split()
                self._variable(walker, node, child, "constant" if is_constant else "")
            elif child.type == "multi_variable_declaration":
                for part in child.named_children:
                    self._variable(walker, part, part)

    def _variable(self, walker: Walker, node: Node, part: Node, kind: str = "") -> None:
        kind = kind or ("field" if walker.scope_kind == CLASS else "variable")
        walker.declare(node, _unquoted(walker.text(part.named_children[0])), kind)

    def parameter(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare the property that a parameter of a constructor with val or var is."""
        words = [child.type for child in node.children]
        if "val" in words or "var" in words:
            name = node.children[
                max(words.index(word) for word in ("val", "var") if word in words) + 1
            ]
            walker.declare(node, _unquoted(walker.text(name)), "field")

    def implicit(self, resolver: Resolver, unit: Unit, name: str) -> Value | None:
        """Return a type of a package that every file imports, or the first part of its name."""
        for package in (*unit.stars, *_IMPLICIT):
            if f"{package}.{name}" in self.natives:
                return (OUTSIDE, f"{package}.{name}")
        return (OUTSIDE, name) if name in self.native_packages else None

    def parsed_again(self, root: Node, source: bytes) -> Node:
        """End the last member of a body on one line, which the grammar does not accept without."""
        if not root.has_error:
            return root
        plain = _END.sub(lambda match: match[0] if match[0][:1] == b'"' else b";}", source)
        return better_tree(root, tree_sitter_kotlin.language(), plain)


def _unquoted(name: str) -> str:
    return name.replace("`", "")


LANGUAGE = language(
    Kotlin(),
    name="kotlin",
    grammar=lambda _path: tree_sitter_kotlin.language(),
    package="tree-sitter-kotlin",
    version=6,
)
