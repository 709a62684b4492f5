"""PHP: declarations, imports and base types. A class name never means one of the global namespace,
unless it is imported or written there."""

import tree_sitter_php
from tree_sitter import Node

from ghostmem.outline.engine.extract import Walker
from ghostmem.outline.engine.facts import FILE, CodeSymbol, Unit
from ghostmem.outline.engine.language import language
from ghostmem.outline.engine.resolve import Resolver
from ghostmem.outline.engine.table import Form, form, names_in, read_table
from ghostmem.outline.engine.terms import IMPORT, NAME, Term, Value, dotted
from ghostmem.outline.languages.declarations import FILE_PATH, DeclarationRules

TABLE = r"""
namespace_definition         hook fn=namespace
namespace_use_declaration    hook fn=use
require_expression,require_once_expression hook fn=note_import
include_expression,include_once_expression hook fn=note_import
interface_declaration        type name=name body=body kind=interface
class_declaration,trait_declaration,enum_declaration type name=name body=body
use_declaration              hook fn=trait
function_definition          hook fn=function_
method_declaration           hook fn=function_
property_promotion_parameter hook fn=symbol name=name kind=field
const_element                hook fn=symbol name=0 kind=constant
enum_case                    hook fn=symbol name=name kind=constant
property_element             hook fn=symbol name=name kind=field
anonymous_class,anonymous_function,arrow_function hook fn=local_imports
"""
_FUNCTION = form("func name=name")
_INCLUDES = {name for name in read_table(TABLE) if name.partition("_")[0] in ("require", "include")}
_KINDS = {"function": "function", "const": "variable"}  # of what `use function` imports


class Php(DeclarationRules):
    """The rules of PHP."""

    name = "php"
    forms = read_table(TABLE)
    separator = "\\"
    natives = names_in("php.txt")

    def namespace(self, walker: Walker, node: Node, _form: Form) -> None:
        """Enter a namespace; without a body it reaches to the next one."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        walker.scope = 0
        self.open_module(walker, node, walker.text(name) if name is not None else "")
        walker.state["module"] = walker.scope
        if body is not None:
            walker.visit_all(body)
            walker.scope = walker.state["module"] = 0

    def use(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note the imports of classes, functions or constants."""
        group = node.child_by_field_name("body")
        prefix = [f"{walker.text(child)}\\" for child in node.named_children[:1]] if group else [""]
        all_words = {child.type for child in node.children}
        for clause in (group or node).named_children:
            if clause.type != "namespace_use_clause":
                continue
            alias = clause.child_by_field_name("alias")
            names = [child for child in clause.named_children if child != alias]
            path = (prefix[0] + walker.text(names[-1])).lstrip("\\")
            words = all_words | {child.type for child in clause.children}
            if kind := next((word for word in _KINDS if word in words), ""):
                walker.import_path(path, clause, kind)
            else:
                self.import_name(walker, clause, path, walker.text(alias) if alias else "")

    def note_import(self, walker: Walker, node: Node, _form: Form | None = None) -> None:
        """Note a file that is included by a path that is written out, also after __DIR__."""
        if node.type not in _INCLUDES or not node.named_children:
            return
        value = node.named_children[0]
        if value.type == "parenthesized_expression" and value.named_children:
            value = value.named_children[0]
        left, right = value.child_by_field_name("left"), value.child_by_field_name("right")
        here = left is not None and walker.text(left) in ("__DIR__", "dirname(__FILE__)")
        text = right if here else value
        contents = text.named_children if text is not None else []
        if [child.type for child in contents] == ["string_content"]:
            path = walker.text(contents[0])
            walker.import_path(path.lstrip("/") if here else path, node, FILE_PATH)

    def path_term(self, walker: Walker, node: Node, _form: Form | None = None) -> Term:
        """Return the term of the name of a class: PHP completes it without knowing other files."""
        text = walker.text(node)
        if text.startswith("\\"):
            return (IMPORT, text[1:], None)
        place = walker.unit.scopes[walker.state.get("module", 0)]
        if text.partition("\\")[0] in place.names and not text.startswith("namespace\\"):
            return dotted(text, self.separator)
        module = walker.unit.symbols[place.symbol].name if place.symbol != FILE else ""
        text = text.removeprefix("namespace\\")
        return (NAME, f"{module}\\{text}" if module else text)

    def bases(self, walker: Walker, symbol: CodeSymbol, node: Node) -> None:
        """Note the bases of a type."""
        for clause in node.named_children:
            relation = {"base_clause": "extends", "class_interface_clause": "implements"}
            for base in clause.named_children if clause.type in relation else ():
                self.base(walker, symbol, relation[clause.type], base)

    def trait(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note the traits that a type uses."""
        for base in node.named_children:
            if base.type in ("name", "qualified_name", "relative_name"):
                self.base(walker, walker.unit.symbols[walker.owner], "extends", base)

    def function_(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare a function; only the imports in its body count.

        Parameters of a constructor may be properties."""
        walker.visit_func(node, _FUNCTION, False)
        walker.visit(node.child_by_field_name("parameters"))
        self.local_imports(walker, node.child_by_field_name("body"))

    def member_separator(self, symbol: CodeSymbol) -> str:
        is_member = symbol.parent != FILE and symbol.unit.symbols[symbol.parent].kind != "module"
        return "::" if is_member else "\\"

    def implicit(self, resolver: Resolver, unit: Unit, name: str) -> Value | None:
        """Return the class of a whole name."""
        return self.named(resolver, name) or super().implicit(resolver, unit, name)

    def import_kind(self, path: str, member: str) -> str:
        return _KINDS.get(member, "type")


LANGUAGE = language(
    Php(),
    name="php",
    grammar=lambda _path: tree_sitter_php.language_php(),
    package="tree-sitter-php",
    version=6,
)
