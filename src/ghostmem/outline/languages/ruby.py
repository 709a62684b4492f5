"""Ruby: declarations, imports and base types.

Names are looked up from the innermost scope outwards, and files by their paths.
"""

import re

import tree_sitter_ruby
from tree_sitter import Node

from ghostmem.grouping import grouped
from ghostmem.outline.engine.extract import Walker
from ghostmem.outline.engine.facts import MODULE_SCOPE, CodeSymbol, Unit
from ghostmem.outline.engine.language import language
from ghostmem.outline.engine.resolve import Resolver
from ghostmem.outline.engine.table import Form, names_in, read_table
from ghostmem.outline.engine.terms import IMPORT, SYMBOL, Term, Value, dotted
from ghostmem.outline.languages.declarations import FILE_PATH, DeclarationRules

TABLE = """
module                       hook fn=type_ kind=module
class                        hook fn=type_ kind=type
singleton_class              hook fn=singleton
method,singleton_method      hook fn=method
assignment                   hook fn=assignment
call                         hook fn=call
block,do_block,lambda        hook fn=local_imports
"""
_LIBRARIES = names_in("ruby_libraries.txt")
_MAKERS = {"Class": "type", "Struct": "type", "Data": "type", "Module": "module"}
_CONSTANTS = ("constant", "scope_resolution")
# how files are required: by a path from the file, or in the folders of libraries
_REQUIRES = {"require_relative": FILE_PATH, "require": "library", "load": "library"}


class Ruby(DeclarationRules):
    """The rules of Ruby. A type that is opened again, also in another file, is the same one."""

    name = "ruby"
    forms = read_table(TABLE)
    relations = ("extends", "declares", "imports")
    separator = "::"
    bases_inside = True
    natives = names_in("ruby.txt")

    def path_term(self, walker: Walker, node: Node, _form: Form | None = None) -> Term:
        """Return the term of a written constant, or of an expression as it is."""
        text = " ".join(walker.text(node).split())[:160]
        return (IMPORT, text[2:], None) if text.startswith("::") else dotted(text, self.separator)

    def type_(self, walker: Walker, node: Node, form: Form) -> None:
        """Declare a module or a class with its superclass."""
        name, base = (node.child_by_field_name(key) for key in ("name", "superclass"))
        if name is not None:
            bases = base.named_children if base is not None else []
            self._open(walker, node, name, form.words["kind"], bases)

    def _open(self, walker: Walker, node: Node, name: Node, kind: str, bases: list[Node]) -> None:
        """Declare a type with its members, which are in the body of a node, or in its block."""
        symbol = self._declare(walker, node, name, kind)
        for base in bases:
            self.base(walker, symbol, "extends", base)
        right = node.child_by_field_name("right")
        holder = right.child_by_field_name("block") if right is not None else node
        body = holder.child_by_field_name("body") if holder is not None else None
        walker.type_body(symbol, body, scope_kind=MODULE_SCOPE)

    def _declare(self, walker: Walker, node: Node, name: Node, kind: str) -> CodeSymbol:
        """Declare a constant; one that is written with a path is bound when modules are known."""
        symbol = walker.define(node, walker.text(name), kind)
        if name.type == "constant":
            walker.bind_symbol(symbol, symbol.name, node.start_byte)
        return symbol

    def singleton(self, walker: Walker, node: Node, _form: Form) -> None:
        """Visit `class << self`; that of another object is not looked into."""
        value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        if value is not None and value.type == "self" and body is not None:
            before, walker.state["single"] = walker.state.get("single"), walker.scope
            walker.visit_all(body)
            walker.state["single"] = before

    def _member(self, walker: Walker, node: Node, name: str, kind: str) -> None:
        """Declare a method or an attribute, of the type itself if it is written so."""
        if node.type == "singleton_method" or walker.state.get("single") == walker.scope:
            walker.flags.add("single")
        walker.define(node, name, kind)

    def method(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare a method; only the imports in its body count."""
        if (name := node.child_by_field_name("name")) is not None:
            self._member(walker, node, walker.text(name), "method" if walker.scope else "function")
            self.local_imports(walker, node.child_by_field_name("body"))

    def assignment(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare constants, global variables and the types that Class.new and its like make."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        maker, method, listed = (
            right.child_by_field_name(key) for key in ("receiver", "method", "arguments")
        )
        word = walker.text(maker) if maker is not None and right.type == "call" else ""
        is_made = method is not None and walker.text(method) in ("new", "define")
        if is_made and word in _MAKERS and maker is not None and left.type in _CONSTANTS:
            bases = listed.named_children[:1] if listed is not None and word == "Class" else []
            bases = [maker] if word in ("Struct", "Data") else bases
            self._open(walker, node, left, _MAKERS[word], bases)
            return
        if left.type in _CONSTANTS:
            self._declare(walker, node, left, "constant")
        elif left.type == "global_variable":
            walker.declare(node, walker.text(left), "variable")
        walker.visit_all(right)

    def call(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note required files, included modules and attributes; visit `private def` and others."""
        word, arguments = _bare_call(walker, node)
        if word in _REQUIRES:
            self.note_import(walker, node)
        elif word in ("include", "extend", "prepend") and walker.scope:
            symbol = walker.unit.symbols[walker.unit.scopes[walker.scope].symbol]
            for base in arguments:
                if base.type != "self":
                    self.base(walker, symbol, "extends", base)
        elif word in ("attr_accessor", "attr_reader", "attr_writer") and walker.scope:
            for name in arguments:
                if name.type == "simple_symbol":
                    self._member(walker, name, walker.text(name).removeprefix(":"), "field")
        else:
            walker.visit_all(node)

    def note_import(self, walker: Walker, node: Node, _form: Form | None = None) -> None:
        """Note a file that is required by a path that is written out."""
        word, arguments = _bare_call(walker, node)
        contents = arguments[0].named_children if arguments else []
        if word in _REQUIRES and [child.type for child in contents] == ["string_content"]:
            walker.import_path(walker.text(contents[0]), node, _REQUIRES[word])

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

    def file_path(self, unit: Unit, path: str) -> str:
        return super().file_path(unit, path if path.endswith(".rb") else f"{path}.rb")

    def imported_ends(
        self, resolver: Resolver, unit: Unit, path: str, member: str
    ) -> list[Unit] | list[CodeSymbol]:
        """Return the file that is required."""
        if member == FILE_PATH:
            return super().imported_ends(resolver, unit, path, member)
        units = self.libraries.get(path if path.endswith(".rb") else f"{path}.rb", [])
        return units if len(units) == 1 else []

    def import_kind(self, path: str, member: str) -> str:
        """Return the kind of something required that is not in the project."""
        return "module"

    def is_native(self, name: str) -> bool:
        """Tell whether something outside belongs to Ruby or its standard library."""
        return name in self.natives or name.partition("/")[0] in _LIBRARIES


def _bare_call(walker: Walker, node: Node) -> tuple[str, list[Node]]:
    """Return the method and the arguments of a call without a receiver; else an empty name."""
    if node.type != "call" or node.child_by_field_name("receiver") is not None:
        return "", []
    method, listed = (node.child_by_field_name(key) for key in ("method", "arguments"))
    arguments = listed.named_children if listed is not None else []
    return walker.text(method) if method is not None else "", arguments


LANGUAGE = language(
    Ruby(),
    name="ruby",
    grammar=lambda _path: tree_sitter_ruby.language(),
    package="tree-sitter-ruby",
    version=6,
)
