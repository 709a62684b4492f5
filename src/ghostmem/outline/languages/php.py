"""PHP: declarations, imports and base types. A class name never means one of the global namespace,
unless it is imported or written there."""

import tree_sitter_php
from tree_sitter import Node

from ghostmem.outline.engine.extract import Walker
from ghostmem.outline.engine.facts import FILE, CodeSymbol
from ghostmem.outline.engine.language import language
from ghostmem.outline.engine.table import Form, names_in, read_table
from ghostmem.outline.engine.terms import IMPORT, NAME, Term, dotted
from ghostmem.outline.languages.declarations import DeclarationRules

TABLE = r"""
namespace_definition         hook fn=namespace name=name top
namespace_use_declaration    hook fn=use
require_expression,require_once_expression hook fn=required
include_expression,include_once_expression hook fn=required
class_declaration,interface_declaration,trait_declaration hook fn=type_ name=name kind=type
enum_declaration             hook fn=type_ name=name kind=type
base_clause,use_declaration  hook fn=base_types kind=extends
class_interface_clause       hook fn=base_types kind=implements
use_list                     skip
function_definition          hook fn=symbol name=name kind=function body=body
method_declaration           hook fn=symbol name=name kind=method params=parameters body=body
property_promotion_parameter hook fn=symbol name=name kind=field
const_element                hook fn=symbol name=0 kind=constant
enum_case                    hook fn=symbol name=name kind=constant
property_element             hook fn=symbol name=name kind=field
anonymous_class,anonymous_function,arrow_function hook fn=local_imports
"""


class Php(DeclarationRules):
    """The rules of PHP."""

    name = "php"
    forms = read_table(TABLE)
    separator = "\\"
    natives = names_in("php.txt")

    def use(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note the imports of classes, functions or constants."""
        group, kind = (node.child_by_field_name(key) for key in ("body", "type"))
        prefix = f"{walker.text(node.named_children[0])}\\" if group else ""
        for clause in (group or node).named_children:
            if clause.type == "namespace_use_clause":
                alias, word = (
                    clause.child_by_field_name("alias"),
                    clause.child_by_field_name("type"),
                )
                path = (prefix + walker.text(clause.named_children[0])).lstrip("\\")
                if word := word or kind:
                    walker.import_path(path, clause, walker.text(word))
                else:
                    self.import_name(walker, clause, path, walker.text(alias) if alias else "")

    def type_path(self, walker: Walker, node: Node) -> Term:
        """Return the term of the name of a class: PHP completes it without knowing other files."""
        text = walker.text(node)
        if text.startswith("\\"):
            return (IMPORT, text[1:], None)
        place = walker.unit.scopes[walker.unit.symbols[walker.owner].scope]
        if text.partition("\\")[0] in place.names:
            return dotted(text, self.separator)
        module = walker.unit.symbols[place.symbol].name if place.symbol != FILE else ""
        text = text.removeprefix("namespace\\")
        return (NAME, f"{module}\\{text}" if module else text)

    def member_separator(self, symbol: CodeSymbol) -> str:
        is_member = symbol.parent != FILE and symbol.unit.symbols[symbol.parent].kind != "module"
        return "::" if is_member else "\\"


LANGUAGE = language(
    Php(),
    name="php",
    grammar=lambda _path: tree_sitter_php.language_php(),
    package="tree-sitter-php",
    version=7,
)
