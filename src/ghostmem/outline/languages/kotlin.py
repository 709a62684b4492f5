"""Kotlin: declarations, imports and base types. Imports win over the package; stars come last."""

import re

import tree_sitter_kotlin
from tree_sitter import Node

from ghostmem.outline.engine.extract import Walker, better_tree
from ghostmem.outline.engine.language import language
from ghostmem.outline.engine.table import Form, names_in, read_table
from ghostmem.outline.languages.declarations import STAR, DeclarationRules

TABLE = """
package_header               hook fn=package
import                       hook fn=import_
class_declaration,object_declaration hook fn=type_ name=name kind=type
companion_object             hook fn=type_ name=name kind=type named=Companion
delegation_specifier         hook fn=specifier
type_alias                   hook fn=symbol name=type kind=type
function_declaration         hook fn=symbol name=name kind=function
secondary_constructor        hook fn=symbol kind=function named=constructor
enum_entry                   hook fn=symbol name=0 kind=constant
property_declaration         hook fn=property
class_parameter              hook fn=parameter
anonymous_initializer,lambda_literal,object_literal,getter,setter skip
"""
# a text, or a blank before the brace that closes a body after something on the same line
_END = re.compile(rb'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|(?<=[^\s{;])[ \t]\}')


class Kotlin(DeclarationRules):
    """The rules of Kotlin."""

    name = "kotlin"
    forms = read_table(TABLE)
    natives = names_in("kotlin.txt")
    native_packages = ("kotlin", "java", "javax")
    implicit_packages = (
        *("kotlin", "kotlin.annotation", "kotlin.collections", "kotlin.comparisons", "kotlin.io"),
        *("kotlin.ranges", "kotlin.sequences", "kotlin.text", "java.lang"),
    )

    def package(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note the package of the file."""
        walker.unit.package = walker.text(node.named_children[-1]).replace("`", "")

    def import_(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note an import: of a name, under another name, or of everything in a package."""
        path, *alias = [walker.text(child).replace("`", "") for child in node.named_children]
        if any(child.type == "*" for child in node.children):
            walker.import_path(path, node, STAR)
            walker.unit.stars.append(path)
        else:
            self.import_name(walker, node, path, *alias[:1])

    def specifier(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note a base type. A class is called.

        What is not called is an interface, or a class that a secondary constructor calls."""
        written = node.named_children[0]
        relation = "extends" if written.type == "constructor_invocation" else "implements"
        is_plain = written.type == "user_type"
        self.add_base(walker, written if is_plain else written.named_children[0], relation)

    def property(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare a property."""
        for child in node.named_children:
            if child.type == "variable_declaration":
                is_constant = b"const" in walker.source[node.start_byte : child.start_byte].split()
                name = walker.text(child.named_children[0])
                self.declared(walker, node, name, "constant" if is_constant else "variable")

    def parameter(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare the property that a parameter of a constructor with val or var is."""
        words = [child.type for child in node.children]
        for word in {"val", "var"}.intersection(words):
            name = node.children[words.index(word) + 1]
            self.declared(walker, node, walker.text(name), "field")

    def parsed_again(self, root: Node, source: bytes) -> Node:
        """End the last member of a body on one line, which the grammar does not accept without."""
        if not root.has_error:
            return root
        plain = _END.sub(lambda match: match[0] if match[0][:1] == b'"' else b";}", source)
        return better_tree(root, tree_sitter_kotlin.language(), plain)


LANGUAGE = language(
    Kotlin(),
    name="kotlin",
    grammar=lambda _path: tree_sitter_kotlin.language(),
    package="tree-sitter-kotlin",
    version=7,
)
