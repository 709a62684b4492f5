"""C#: declarations, imports and base types. Namespaces see those around them, then `using`."""

import re

import tree_sitter_c_sharp
from tree_sitter import Node

from ghostmem.outline.engine.extract import Walker, plain_children
from ghostmem.outline.engine.facts import CodeSymbol
from ghostmem.outline.engine.language import language
from ghostmem.outline.engine.resolve import Resolver
from ghostmem.outline.engine.table import Form, names_in, read_table
from ghostmem.outline.engine.terms import IMPORT, MAX_NESTED_ARGUMENTS, OUTSIDE, Term, Value, dotted
from ghostmem.outline.languages.declarations import STAR, DeclarationRules

TABLE = """
using_directive              hook fn=using
namespace_declaration,file_scoped_namespace_declaration hook fn=namespace name=name
class_declaration,struct_declaration,record_declaration hook fn=type_ name=name kind=type
interface_declaration,enum_declaration,delegate_declaration hook fn=type_ name=name kind=type
base_list                    hook fn=base_list
argument_list,predefined_type skip
parameter_list               hook fn=parameters
parameter                    hook fn=symbol name=name kind=field
method_declaration,constructor_declaration hook fn=symbol name=name kind=method
destructor_declaration       hook fn=symbol name=name kind=method
indexer_declaration          hook fn=symbol kind=method named=this[]
operator_declaration         hook fn=symbol name=operator kind=method
property_declaration,event_declaration hook fn=symbol name=name kind=field
enum_member_declaration      hook fn=symbol name=name kind=constant
field_declaration,event_field_declaration hook fn=field
attribute_list,global_statement,type_parameter_constraints_clause skip
"""
_PREFIXES = {"operator_declaration": "operator ", "destructor_declaration": "~"}
_ARGUMENTS = re.compile(r"<([^<>]*)>")
_INTERFACE = re.compile(r"([^<]*[.])?I[A-Z]")


class CSharp(DeclarationRules):
    """The rules of C#. A generic type is bound with the number of its parameters: Name`2."""

    name = "csharp"
    forms = read_table(TABLE)
    natives = names_in("csharp.txt")
    native_packages = ("System",)

    def using(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note an import of everything in a namespace or type, or a name for something."""
        alias, path = node.child_by_field_name("name"), walker.text(node.named_children[-1])
        if alias is not None:
            self.import_name(walker, node, path, walker.text(alias))
            return
        walker.import_path(path, node, STAR)
        walker.unit.stars.append(path)
        if any(child.type == "global" for child in node.children):
            walker.unit.exports[path] = True

    def label(self, walker: Walker, node: Node, form: Form) -> str:
        """Return the name of a declaration; a member of an interface has the interface before."""
        kinds = {child.type: child for child in node.named_children}
        interface = kinds.get("explicit_interface_specifier")
        prefix = _PREFIXES.get(node.type, "") + (walker.text(interface) if interface else "")
        return prefix + super().label(walker, node, form)

    def declared(self, walker: Walker, node: Node, name: str, kind: str) -> CodeSymbol:
        """Declare a symbol, with the number of its type parameters."""
        symbol = walker.define(node, name, kind)
        parameters = {child.type: child for child in node.named_children}.get("type_parameter_list")
        arity = f"`{parameters.named_child_count}" if parameters is not None else ""
        walker.bind_symbol(symbol, name + arity, node.start_byte)
        return symbol

    def base_list(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note the bases of a type: only the first of a class can be a class.

        By convention the name of an interface is I and a capital."""
        for number, base in enumerate(plain_children(node)):
            is_interface = number or _INTERFACE.match(walker.text(base))
            written = base.child_by_field_name("type") or base
            self.add_base(walker, written, "implements" if is_interface else "extends")

    def type_path(self, walker: Walker, node: Node) -> Term:
        """Return the term of the written name of a type, with the number of its arguments."""
        text = "".join(walker.text(node).split())
        for _ in range(min(text.count("<"), MAX_NESTED_ARGUMENTS)):
            text = _ARGUMENTS.sub(lambda match: f"`{match[1].count(',') + 1}", text)
        if text.startswith("global::"):
            return (IMPORT, text.removeprefix("global::"), None)
        return dotted(text)

    def parameters(self, walker: Walker, node: Node, _form: Form) -> None:
        """The parameters of a record are fields."""
        if node.parent is not None and node.parent.type == "record_declaration":
            walker.visit_all(node)

    def field(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare fields and constants."""
        for variables in node.named_children:
            is_constant = b"const" in walker.source[node.start_byte : variables.start_byte].split()
            for child in variables.named_children:
                name = child.child_by_field_name("name")
                if child.type == "variable_declarator" and name is not None:
                    kind = "constant" if is_constant else "field"
                    self.declared(walker, child, walker.text(name), kind)

    def begin_linking(self, resolver: Resolver) -> None:
        """Import in all files what one file imports for all."""
        everywhere = sorted({path for unit in resolver.units.values() for path in unit.exports})
        for unit in resolver.units.values():
            unit.stars = list(dict.fromkeys([*unit.stars, *everywhere]))

    def outside_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        return (OUTSIDE, f"{value[1]}.{name.partition('`')[0]}")


LANGUAGE = language(
    CSharp(),
    name="csharp",
    grammar=lambda _path: tree_sitter_c_sharp.language(),
    package="tree-sitter-c-sharp",
    version=7,
)
