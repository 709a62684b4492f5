"""C#: declarations, imports and base types. Namespaces see those around them, then `using`."""

import re

import tree_sitter_c_sharp
from tree_sitter import Node

from ghostmem.outline.engine.extract import Walker
from ghostmem.outline.engine.facts import CodeSymbol, Unit
from ghostmem.outline.engine.language import language
from ghostmem.outline.engine.resolve import Resolver
from ghostmem.outline.engine.table import Form, names_in, read_table
from ghostmem.outline.engine.terms import IMPORT, MAX_NESTED_ARGUMENTS, OUTSIDE, Term, Value, dotted
from ghostmem.outline.languages.declarations import STAR, DeclarationRules

TABLE = """
using_directive              hook fn=using
namespace_declaration,file_scoped_namespace_declaration hook fn=namespace
class_declaration,struct_declaration,record_declaration,enum_declaration hook fn=type_ kind=type
delegate_declaration         hook fn=type_ kind=type
interface_declaration        hook fn=type_ kind=interface
method_declaration           hook fn=member kind=method
constructor_declaration      hook fn=member kind=method
indexer_declaration          hook fn=member kind=method
operator_declaration         hook fn=member kind=method
destructor_declaration       hook fn=member kind=method
property_declaration,event_declaration hook fn=member kind=field
enum_member_declaration      hook fn=symbol name=name kind=constant
field_declaration,event_field_declaration hook fn=field
attribute_list,global_statement skip
"""
_ARGUMENTS = re.compile(r"<([^<>]*)>")
_BASES = {
    *("identifier", "qualified_name", "generic_name"),
    *("alias_qualified_name", "primary_constructor_base_type"),
}
_INTERFACE = re.compile(r"([^<]*[.])?I[A-Z]")


class CSharp(DeclarationRules):
    """The rules of C#. A generic type is bound with the number of its parameters: Name`2."""

    name = "csharp"
    forms = read_table(TABLE)
    natives = names_in("csharp.txt")
    native_packages = ("System",)

    def path_term(self, walker: Walker, node: Node, _form: Form | None = None) -> Term:
        """Return the term of the written name of a type, with the number of its arguments."""
        text = "".join(walker.text(node).split())
        for _ in range(min(text.count("<"), MAX_NESTED_ARGUMENTS)):
            text = _ARGUMENTS.sub(lambda match: f"`{match[1].count(',') + 1}", text)
        if text.startswith("global::"):
            return (IMPORT, text.removeprefix("global::"), None)
        return dotted(text)

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

    def namespace(self, walker: Walker, node: Node, _form: Form) -> None:
        """Enter a namespace; without a body it reaches to the end of the file."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        before = walker.scope
        for part in walker.text(name).split(".") if name is not None else ():
            self.open_module(walker, node, part)
        if body is not None:
            walker.visit_all(body)
            walker.scope = before

    def type_(self, walker: Walker, node: Node, form: Form) -> None:
        """Declare a type with its bases; the parameters of a record are fields."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        symbol = walker.define(node, walker.text(name), form.words["kind"])
        parameters = {child.type: child for child in node.named_children}.get("type_parameter_list")
        arity = f"`{parameters.named_child_count}" if parameters is not None else ""
        walker.bind_symbol(symbol, symbol.name + arity, node.start_byte)
        walker.type_body(symbol, node.child_by_field_name("body"), form, node)

    def bases(self, walker: Walker, symbol: CodeSymbol, node: Node) -> None:
        """Note the bases of a type, and declare the fields that parameters of a record are."""
        lists = {child.type: child.named_children for child in node.named_children}
        bases = [base for base in lists.get("base_list", ()) if base.type in _BASES]
        for number, base in enumerate(bases):
            relation = self._relation(walker, node, base, number)
            self.base(walker, symbol, relation, base.child_by_field_name("type") or base)
        is_record = node.type == "record_declaration"
        for parameter in lists.get("parameter_list", ()) if is_record else ():
            if (name := parameter.child_by_field_name("name")) is not None:
                walker.declare(parameter, walker.text(name), "field")

    def _relation(self, walker: Walker, node: Node, base: Node, number: int) -> str:
        """Return the relation to a base: only the first of a class can be a class.

        By convention the name of an interface is I and a capital."""
        if node.type == "interface_declaration" or base.type == "primary_constructor_base_type":
            return "extends"
        is_struct = node.type == "struct_declaration" or any(
            child.type == "struct" for child in node.children
        )
        is_interface = _INTERFACE.match(walker.text(base)) is not None
        return "implements" if is_struct or is_interface or number else "extends"

    def member(self, walker: Walker, node: Node, form: Form) -> None:
        """Declare a method, a property or an event; one of an interface has its name before."""
        name = node.child_by_field_name("name") or node.child_by_field_name("operator")
        text = walker.text(name) if name is not None else "this[]"
        for child in node.named_children:
            if child.type == "explicit_interface_specifier":
                text = walker.text(child) + text.removesuffix("[]")
        prefix = {"operator_declaration": "operator ", "destructor_declaration": "~"}
        walker.declare(node, prefix.get(node.type, "") + text, form.words["kind"])

    def field(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare fields and constants."""
        words = [walker.text(child) for child in node.named_children if child.type == "modifier"]
        for variables in node.named_children:
            for child in variables.named_children:
                name = child.child_by_field_name("name")
                if child.type == "variable_declarator" and name is not None:
                    walker.declare(
                        child, walker.text(name), "constant" if "const" in words else "field"
                    )

    def begin_linking(self, resolver: Resolver) -> None:
        """Import in all files what one file imports for all."""
        everywhere = sorted({path for unit in resolver.units.values() for path in unit.exports})
        for unit in resolver.units.values():
            unit.stars = list(dict.fromkeys([*unit.stars, *everywhere]))

    def implicit(self, resolver: Resolver, unit: Unit, name: str) -> Value | None:
        """Return a type of a used namespace of .NET, or the first part of a name in it."""
        bare = name.partition("`")[0]
        around = {scope.module for scope in unit.scopes if scope.module}
        wholes = {f"{package}.{bare}" for package in (*unit.stars, *around)} & self.natives
        if len(wholes) == 1:
            return (OUTSIDE, wholes.pop())
        return (OUTSIDE, name) if name in self.native_packages else None

    def outside_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        return (OUTSIDE, f"{value[1]}.{name.partition('`')[0]}")


LANGUAGE = language(
    CSharp(),
    name="csharp",
    grammar=lambda _path: tree_sitter_c_sharp.language(),
    package="tree-sitter-c-sharp",
    version=6,
)
