"""The interface of a language: a table of its syntax, some flags, and a few functions.

**Table.** One line per type of syntax node: `node_type role key=place ... option ...`. A place is
the name of a field of the grammar or the number of a named child. Node types that are not in the
table are walked through. An example (Go):

    method_declaration  func  name=name params=parameters result=result body=body recv=receiver
    selector_expression member of=operand name=field
    range_clause        range left=left right=right pairs
    map_type            maptype key=key of=value
    type_switch_statement hook fn=type_switch

| role | keys and options (see `Walker.visit_<role>`, `Walker.type_<role>`) |
|---|---|
| func | name params result body type_params recv; named=; options arrow, signature |
| lambda | params result body type_params |
| type | name body type_params, or type (what it is defined as); kind=interface |
| record | a type written in place |
| bind | name type value; kind=constant |
| assign | left right type |
| param | name type value; options many, optional |
| typeparam | bound; in a node given as type_params |
| range | left right body type; option pairs |
| return, block | a return statement; a block (a scope, unless the language hoists) |
| name, member (of name), index (of) | expressions |
| call (callee args of type_args body; option bare) | |
| cast (type of; option shown), either (test), tuple, list | |
| literal (is=str), this, super, same (of; option only), skip | |
| generic (of; option flat), listtype (of), maptype (key of), uniontype, tupletype | types |
| functype (params result), primitive, notype; also name, member, same, record | |
| hook | fn=: a method of the language for expressions and statements; type_fn=: for types |

A hook is a method `(self, walker, node, form) -> Term | None`. It visits the children itself with
`walker.visit`, `walker.type_term`, `walker.visit_all`; it opens scopes with `walker.inside`, binds
names with `walker.bind` and notes references with `walker.refer`. To give a node another role under
a condition, call `walker.visit_func(node, FORM, False)` with a `form("func name=...")`.

**Terms and values** are listed in `terms`; **facts** in `facts`. A language that needs a term of
its own returns it from a hook, with a tag of its own, and evaluates it in `Rules.evaluate`.

**Members outside of their type** (methods of Go, `impl` of Rust, `A::m` of C++, `A.prototype.m =`):
the symbol gets `symbol.receiver`, the term of the type; it is attached before linking.

**Linking** calls the functions of the second half of `Rules`. The important ones: `module` (the key
of the names that the files share), `imported` (what a path, or a member of it, is), `canonical`
(names of symbols), `is_native`, `base_relations`, `overloads`, `container_member`, `call_result`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ghostmem.outline.engine import extract as extraction
from ghostmem.outline.engine import link as linking
from ghostmem.outline.engine.facts import CodeSymbol, FoundBinding, Unit, is_import
from ghostmem.outline.engine.resolve import CALLABLES, TYPES, Place, Resolver
from ghostmem.outline.engine.table import Form
from ghostmem.outline.engine.terms import (
    LIST_TYPE,
    MEMBER,
    MODULE,
    OUTSIDE,
    SUPER,
    THIS,
    Term,
    Value,
    parts,
)
from ghostmem.outline.languages.base import Language

if TYPE_CHECKING:
    from tree_sitter import Node

    from ghostmem.outline.engine.extract import Walker
    from ghostmem.outline.engine.link import Linker, Target

BaseOrder = list[tuple[CodeSymbol, tuple[Value, ...]]]


class Rules:
    """The rules of a language; the defaults fit most."""

    forms: Mapping[str, Form] = {}
    methods: Any = None  # of the walker for each type of node, which it finds once
    containers: Mapping[
        str, str
    ] = {}  # generic types: list map tuple union callable type same last
    builtins: frozenset[str] = frozenset()
    jumps: frozenset[str] = frozenset()  # types of statements that leave a block
    words: Mapping[str, str] = {THIS: "this", SUPER: "super"}  # for unresolved references
    constructor = call_method = ""  # the names of these methods
    item_methods: tuple[str, ...] = ()  # methods that give the elements of an object
    separator = "."  # between the name of a module and a name in it
    call_suffix = ""  # appended to names of methods, to set them apart from fields
    strict_uses = False  # only types are used, and not by themselves
    knows_literals = False  # calling a function literal is not an unresolved call
    has_overloads = False  # functions of one name do not replace each other, nor (if there is a
    # call_suffix) those of base types
    merges_modules = False  # names of a module are looked up in all its files at once
    hoists = False  # a block is no scope, and names are bound before their position
    self_parameter = False  # the first parameter of a method is the instance
    defaults_outside = False  # defaults of parameters refer for what is around the function
    members_visible = False  # members have their bare names in their type
    class_scope = False  # so they have, but only directly in the body of the type
    bases_inside = False  # base types are looked up inside of the type
    unpacks = False  # `a, b = x` takes elements of x
    virtual: tuple[str, ...] = ("type",)  # how a method of an interface is found, not another one
    merges_declarations = False  # several declarations of one name in a scope are one
    declared_first = False  # a member that a base declares counts more than one that is assigned
    inherits_constructors = False
    shows_first_line = False  # of a declaration, without annotations; else all before its body
    leaves_imports = False  # an imported path without a name outside counts as unresolved
    leaves_members = True  # an unresolved member that is read counts if something has its name
    properties_are_called = False  # reading and writing an accessor is a call
    calls_convert = False  # calling a type is a conversion
    default_bound: Term | None = None  # of a type parameter
    types_are_iterable = False
    reads_members = True  # of types outside; otherwise members that are no symbols do not matter
    leaves_reads = True  # values that are read but not found count as unresolved
    path_terms: tuple[str, ...] = ()  # tags of terms of its own that paths begin with
    path_step = "import"  # how a path into a module is found that does not begin with a name

    # --- extraction

    def parsed_again(self, root: "Node", source: bytes) -> "Node":
        """Return the tree of a file, after something that its grammar does not understand."""
        return root

    def begin(self, walker: "Walker", root: "Node") -> None:
        """Prepare the walk over a file."""

    def end(self, walker: "Walker") -> None:
        """Complete the facts of a file."""

    def signature(self, walker: "Walker", node: "Node") -> str:
        """Return the text that a declaration is shown by."""
        if self.shows_first_line:
            return walker.first_line(node)
        return walker.head(node, node.child_by_field_name("body")).rstrip(":{= ")

    def function(self, walker: "Walker", symbol: CodeSymbol, node: "Node") -> None:
        """Complete a function before its parameters are visited."""

    def receiver(self, walker: "Walker", symbol: CodeSymbol, node: "Node") -> Term | None:
        """Return the type of the receiver that a function is declared with (key recv)."""
        return None

    def bases(self, walker: "Walker", symbol: CodeSymbol, node: "Node") -> None:
        """Note the bases of a type, with `walker.base`."""

    def no_names(self, walker: "Walker", node: "Node") -> None:
        """Handle a declaration of variables that has no names: an embedded type."""

    def pattern(self, walker: "Walker", node: "Node", value: Term | None, position: int) -> None:
        """Bind the names of a pattern that is neither a name nor a tuple or list."""
        for child in node.named_children:
            walker.pattern(child, None, None, position)

    def assigned_scope(self, walker: "Walker", name: str) -> int | None:
        """Return the scope that assigning a name binds it in; None if it must be declared."""
        return None

    def assign_member(
        self,
        walker: "Walker",
        term: Term,
        type_term: Term | None,
        value: Term | None,
        node: "Node",
        target: "Node",
    ) -> None:
        """Handle an assignment to a member."""
        walker.refer("assigns", term, target)

    def variable_kind(self, name: str, in_type: bool) -> str:
        """Return the kind of a variable that an assignment declares."""
        return "field" if in_type else "variable"

    def rest_type(self, node: "Node", type_term: Term | None) -> Term | None:
        """Return the type of a parameter that takes any number of arguments of a type."""
        return (LIST_TYPE, type_term)

    def known_call(
        self, walker: "Walker", node: "Node", fn: "Node", args: "Node | None"
    ) -> tuple[Term | None] | None:
        """Handle a call with a meaning of its own, and return its term in a tuple; else None."""
        return None

    # --- linking

    def begin_linking(self, resolver: Resolver) -> None:
        """Prepare tables of all files: folders, modules."""

    def module(self, resolver: Resolver, unit: Unit) -> str:
        """Return the module of a file; its files share their names."""
        return unit.path

    def inner_module(self, resolver: Resolver, symbol: CodeSymbol) -> str:
        """Return the module that a namespace or module in a file is."""
        outer = symbol.unit.scopes[symbol.scope].module
        return f"{outer}{self.separator}{symbol.name}" if outer else symbol.name

    def module_names(
        self, resolver: Resolver, unit: Unit, module: str, name: str
    ) -> list[FoundBinding]:
        """Return what a file imports under a name, else what all files of its module bind it to."""
        bindings = resolver.modules[module].get(name, ())
        own = [binding for binding in bindings if binding[0] is unit and is_import(binding[1])]
        return own or [binding for binding in bindings if not is_import(binding[1])]

    def module_step(self, unit: Unit, module: str, found: list[FoundBinding]) -> str:
        """Return the name of the step that found a name in a module."""
        return "module"

    def file_name(self, resolver: Resolver, unit: Unit) -> str:
        """Return the name of a file's node."""
        return unit.path

    def canonical(self, resolver: Resolver, symbol: CodeSymbol) -> tuple[str, str]:
        """Return the name of a symbol as shown, and its unique name."""
        names = [self.file_name(resolver, symbol.unit), *symbol.path()]
        return self.separator.join(names), ""

    def member_name(self, symbol: CodeSymbol, owner: CodeSymbol) -> str:
        """Return the name that a member declared outside of its type is bound to."""
        return symbol.name + self.call_suffix

    def owner_of(
        self, resolver: Resolver, symbol: CodeSymbol, owner: CodeSymbol | None
    ) -> CodeSymbol | None:
        """Return the type that a member declared outside belongs to, as its receiver says."""
        return owner

    def imported(
        self, resolver: Resolver, unit: Unit, path: str, member: str | None
    ) -> Value | None:
        """Return what a path, or a member of it, is in a file: a module, a type, or outside."""
        return (OUTSIDE, f"{path}.{member}" if member else path)

    def imported_ends(
        self, resolver: Resolver, unit: Unit, path: str, member: str
    ) -> Sequence[Unit | CodeSymbol]:
        """Return the files and symbols that an import leads to."""
        found: list[Unit] = []
        for value in parts(self.imported(resolver, unit, path, None)):
            if value[0] == MODULE:
                found += resolver.units_of.get(value[1], ())
        return found

    def import_kind(self, path: str, member: str) -> str:
        """Return the kind of something imported that is not in the project."""
        return "module"

    def outside_path(self, resolver: Resolver, unit: Unit, path: str, member: str) -> str:
        """Return the name of an imported path that is not in the project."""
        return path

    def exported(self, resolver: Resolver, module: str, name: str) -> list[FoundBinding]:
        """Return what a name of a module is bound to, as others see it."""
        return resolver.modules.get(module, {}).get(name, [])

    def starred(self, resolver: Resolver, module: str, name: str) -> list[FoundBinding]:
        """Return what a name is bound to that everything is imported of a module with."""
        return self.exported(resolver, module, name)

    def missing_member(self, resolver: Resolver, module: str, name: str) -> Value | None:
        """Return a member of a module that it does not bind."""
        return None

    def implicit(self, resolver: Resolver, unit: Unit, name: str) -> Value | None:
        """Return a name that needs no import."""
        return None

    def is_native(self, name: str) -> bool:
        """Tell whether something outside belongs to the language and its standard library."""
        return name in self.builtins

    def meant(self, kind: str, targets: "list[Target]") -> "list[Target]":
        """Return those of several declarations of a name that a reference of a kind means."""
        return targets

    def outside_kind(self, kind: str, value: Value) -> str:
        """Return the kind of the link to something outside that is read; empty for none."""
        return kind

    def via(self, target: "Target", place: Place) -> str:
        """Return how a name was found."""
        return target.via

    def package_of(self, name: str) -> str:
        """Return the path that something external is imported from."""
        return name.split(".", maxsplit=1)[0]

    def base_relations(
        self, relation: str, symbol: CodeSymbol, target: "Target"
    ) -> tuple[str, ...]:
        """Return the kinds of links from a type to one of its bases."""
        return (relation,)

    def base_order(self, resolver: Resolver, symbol: CodeSymbol) -> BaseOrder:
        """Return a type and its bases in the order of lookup: nearer ones first."""
        order: BaseOrder = [(symbol, ())]
        seen = {symbol}
        for base, _ in order:  # it grows meanwhile
            for other, arguments in resolver.direct_bases(base):
                if other not in seen:
                    seen.add(other)
                    order.append((other, arguments))
        return order

    def hides_base(self, resolver: Resolver, symbol: CodeSymbol, name: str) -> bool:
        """Tell whether a base outside of the project comes first with a member of a name."""
        return False

    def is_shared(self, symbol: CodeSymbol) -> bool:
        """Tell whether reading and writing a variable are relations: not of locals and fields."""
        return symbol.kind in ("variable", "constant") or "static" in symbol.flags

    def is_candidate(self, symbol: CodeSymbol) -> bool:
        """Tell whether an unresolved call of its name may mean a symbol."""
        return symbol.kind in CALLABLES or symbol.kind in TYPES

    def overloads(
        self,
        resolver: Resolver,
        callees: "list[Target]",
        arguments: tuple[Term | None, ...],
        place: Place,
    ) -> "list[Target]":
        """Return those of several functions of one name that a call may mean."""
        return callees

    def outside_node(self, name: str, kind: str) -> tuple[str, str]:
        """Return the name and kind that something outside is shown with."""
        return name, kind

    def is_outside_type(self, name: str) -> bool:
        """Tell whether calling something outside is a conversion."""
        return False

    def candidates(self, targets: "list[Target]", place: Place) -> "list[Target]":
        """Return what a reference in a file can mean, of several declarations of one name."""
        return targets

    def definitions(self, resolver: Resolver, symbol: CodeSymbol) -> Sequence[CodeSymbol]:
        """Return the symbols that a declaration stands for: itself, or its definitions."""
        return (symbol,)

    def finish(self, linker: "Linker") -> None:
        """Add links that no reference makes, such as those of structural interfaces."""

    def notes(self, resolver: Resolver) -> list[str]:
        """Return what a reader of the graph should know."""
        return []

    # --- evaluation

    def evaluate(self, resolver: Resolver, term: Term, place: Place) -> Value | None:
        """Evaluate a term of the language's own."""
        return None

    def call_result(
        self, resolver: Resolver, term: Term, callee: Value | None, place: Place
    ) -> Value | None:
        """Return what a call of something special gives; None: as usual."""
        return None

    def outside_result(
        self,
        resolver: Resolver,
        name: str,
        arguments: tuple[Term | None, ...],
        place: Place | None,
    ) -> Value | None:
        """Return what calling something outside gives."""
        return None

    def outside_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member of something outside."""
        return (OUTSIDE, f"{value[1]}.{name.removesuffix(self.call_suffix)}")

    def outside_parameter(self, resolver: Resolver, value: Value, number: int) -> Value | None:
        """Return what something outside takes as one of its arguments."""
        return None

    def as_callable(self, resolver: Resolver, value: Value) -> Value:
        """Return the function type that a value is used as, such as an object with one method."""
        return value

    def find_member(self, resolver: Resolver, value: Value, name: str) -> list[FoundBinding] | None:
        """Return the bindings of a member by the language's own rule; None: by the bases' order."""
        return None

    def iterable(self, resolver: Resolver, value: Value) -> Value:
        """Return what is iterated over as a list or map, such as a function that yields."""
        return value

    def outside_element(self, value: Value) -> Value | None:
        """Return an element of something outside."""
        return None

    def container_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member of a list, map or tuple."""
        return None

    def special_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member that every type or instance has."""
        return None

    def function_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member of a function that has no members declared."""
        return None

    def item(self, resolver: Resolver, value: Value | None) -> Value | None:
        """Return the element behind what one of `item_methods` returns."""
        return value

    def is_generic(self, symbol: CodeSymbol) -> bool:
        """Tell whether the result of a function depends on the types of its arguments."""
        return bool(symbol.type_parameters)

    def declared_result(self, resolver: Resolver, symbol: CodeSymbol, place: Place) -> Value | None:
        """Return the result of a function that declares its type."""
        return resolver.value_of_type(symbol.result, place)

    def inferred_result(self, resolver: Resolver, symbol: CodeSymbol) -> Value | None:
        """Return the result of a function without a declared type."""
        return resolver.returned(symbol)


def language(
    rules: Rules,
    *,
    name: str,
    suffixes: tuple[str, ...],
    grammar: Callable[[str], object],
    package: str,
    version: int,
    **more: Any,
) -> Language:
    """Return a language that the engine extracts and links by its rules."""
    return Language(
        name=name,
        suffixes=suffixes,
        grammar=grammar,
        package=package,
        version=version,
        extract=lambda root, source, path: extraction.extract(rules, root, source, path),
        link=lambda files, read: linking.link(rules, files, read),
        **more,
    )


__all__ = ["MEMBER", "Rules", "language"]
