"""Ruby: declarations, imports and base types.

Names are looked up from the innermost scope outwards, and files by their paths.
"""

import re

import tree_sitter_ruby
from tree_sitter import Node

from ghostmem.grouping import grouped
from ghostmem.outline.engine.extract import Walker, plain_children
from ghostmem.outline.engine.facts import MODULE_SCOPE, CodeSymbol, Unit
from ghostmem.outline.engine.language import language
from ghostmem.outline.engine.resolve import Resolver
from ghostmem.outline.engine.table import Form, names_in, read_table
from ghostmem.outline.engine.terms import IMPORT, SYMBOL, Term, Value, dotted
from ghostmem.outline.languages.declarations import FILE_PATH, DeclarationRules

TABLE = """
module                       hook fn=type_ name=name kind=module
class                        hook fn=type_ name=name kind=type
superclass                   hook fn=base_types kind=extends
self                         skip
singleton_class              hook fn=singleton
method,singleton_method      hook fn=symbol name=name kind=function body=body
assignment                   hook fn=assignment
call                         hook fn=call
block,do_block,lambda        hook fn=local_imports
"""
_MADE = re.compile(rb"(Class|Struct|Data|Module)\.(?:new|define)\b")
_CONSTANTS = ("constant", "scope_resolution")


class Ruby(DeclarationRules):
    """The rules of Ruby. A type that is opened again, also in another file, is the same one."""

    name = "ruby"
    forms = read_table(TABLE)
    relations = ("extends", "declares", "imports")
    separator = "::"
    bases_inside = True
    scope_of_types = MODULE_SCOPE
    library_words = ("require", "load")
    natives, native_packages = names_in("ruby.txt"), names_in("ruby_libraries.txt")

    def type_path(self, walker: Walker, node: Node) -> Term:
        """Return the term of a written constant, or of an expression as it is."""
        text = " ".join(walker.text(node).split())[:160]
        return (IMPORT, text[2:], None) if text.startswith("::") else dotted(text, self.separator)

    def declared(self, walker: Walker, node: Node, name: str, kind: str) -> CodeSymbol:
        """Declare a symbol, perhaps one of the type itself."""
        if node.type == "singleton_method" or walker.state.get("single") == walker.scope:
            walker.flags.add("single")
        return super().declared(walker, node, name, kind)

    def singleton(self, walker: Walker, node: Node, _form: Form) -> None:
        """Visit `class << self`; that of another object is not looked into."""
        value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        if value is not None and value.type == "self" and body is not None:
            walker.state["single"] = walker.scope
            walker.visit_all(body)
            walker.state["single"] = None

    def assignment(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare constants, global variables and the types that Class.new and its like make."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        made = _MADE.match(walker.source, right.start_byte, right.end_byte)
        if made is not None and right.type == "call" and left.type in _CONSTANTS:
            kind = "module" if made[1] == b"Module" else "type"
            symbol = self.declared(walker, node, walker.text(left), kind)
            arguments, block = (right.child_by_field_name(key) for key in ("arguments", "block"))
            maker = arguments if made[1] == b"Class" else right  # its first child is the receiver
            with walker.owned_by(symbol):
                for base in plain_children(maker)[:1] if kind == "type" else ():
                    self.add_base(walker, base, "extends")
            walker.type_body(symbol, block, scope_kind=MODULE_SCOPE)
        elif left.type in (*_CONSTANTS, "global_variable"):
            kind = "constant" if left.type in _CONSTANTS else "variable"
            self.declared(walker, node, walker.text(left), kind)
        walker.visit_all(right)

    def call(self, walker: Walker, node: Node, form: Form) -> None:
        """Note required files, included modules and attributes; visit `private def` and others."""
        method, listed = (node.child_by_field_name(key) for key in ("method", "arguments"))
        bare = method if node.child_by_field_name("receiver") is None else None
        word = walker.text(bare) if bare is not None else ""
        arguments = plain_children(listed)
        if word in ("include", "extend", "prepend"):
            for base in arguments:
                self.add_base(walker, base, "extends")
        elif word in ("attr_accessor", "attr_reader", "attr_writer"):
            for name in arguments:
                if name.type == "simple_symbol":
                    self.declared(walker, name, walker.text(name).removeprefix(":"), "variable")
        else:
            self.required(walker, node)
            walker.visit_all(node)

    def member_separator(self, symbol: CodeSymbol) -> str:
        """Return the text between the name of a type and of a symbol in it."""
        if symbol.kind in ("method", "field"):
            return "." if "single" in symbol.flags else "#"
        return "::"

    def inner_module(self, resolver: Resolver, symbol: CodeSymbol) -> str:
        """Return the whole name of a type, and bind one that is written with a path."""
        name = super().inner_module(resolver, symbol)
        if "::" in symbol.name:
            outer, _, last = name.rpartition("::")
            binding = (symbol.start, 0, symbol.scope, None, (SYMBOL, symbol.number), symbol.number)
            resolver.modules.setdefault(outer, {}).setdefault(last, []).append(
                (symbol.unit, binding)
            )
        return name

    def special_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return what a type has under a name in any of the places that open it."""
        module = value[1].unit.scopes[value[1].inner].module if value[1].inner >= 0 else None
        return resolver.module_member(module, name) if module is not None else None

    def begin_linking(self, resolver: Resolver) -> None:
        """Find the files of libraries: from the root, and from every folder lib."""
        self.libraries = grouped(
            (path[start:], unit)
            for path, unit in resolver.units.items()
            for start in {0, *(found.end() for found in re.finditer(r"(?:^|/)lib/", path))}
        )

    def imported_ends(
        self, resolver: Resolver, unit: Unit, path: str, member: str
    ) -> list[Unit] | list[CodeSymbol]:
        """Return the file that is required."""
        path = path if path.endswith(".rb") else f"{path}.rb"
        if member == FILE_PATH:
            return super().imported_ends(resolver, unit, path, member)
        units = self.libraries.get(path, [])
        return units if len(units) == 1 else []


LANGUAGE = language(
    Ruby(),
    name="ruby",
    grammar=lambda _path: tree_sitter_ruby.language(),
    package="tree-sitter-ruby",
    version=7,
)
