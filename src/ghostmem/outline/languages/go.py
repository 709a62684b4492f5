"""Go: the table of its grammar, and its rules."""

import posixpath
import re
from collections.abc import Iterator
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

import tree_sitter_go
from tree_sitter import Node

from ghostmem.outline.engine.extract import Walker, plain_children
from ghostmem.outline.engine.facts import (
    B_SYMBOL,
    B_TYPE,
    END,
    FILE,
    NO_SYMBOL,
    CodeSymbol,
    FoundBinding,
    Unit,
)
from ghostmem.outline.engine.language import Rules, language
from ghostmem.outline.engine.link import Linker, Target
from ghostmem.outline.engine.resolve import CALLABLES, TYPES, BaseOrder, Place, Resolver
from ghostmem.outline.engine.table import Form, form, groups_of, read_table, words_of
from ghostmem.outline.engine.terms import (
    CALL,
    ELEMENT,
    GENERIC,
    IMPORT,
    INSTANCE,
    LIST,
    MODULE,
    NAME,
    OUTSIDE,
    OUTSIDE_INSTANCE,
    SEVERAL,
    TYPE_PARAMETER,
    Term,
    Value,
)
from ghostmem.outline.graph import OutlineNode, file_id, project_id

_TABLE = """
package_clause               hook fn=package
import_spec                  hook fn=import_spec
function_declaration         func name=name params=parameters result=result body=body \
  type_params=type_parameters
method_declaration           func name=name params=parameters result=result body=body recv=receiver
method_elem                  func name=name params=parameters result=result
func_literal                 lambda params=parameters result=result body=body
parameter_declaration        param name=name type=type
variadic_parameter_declaration param name=name type=type many
type_parameter_declaration   typeparam bound=type
type_spec,type_alias         type name=name type=type type_params=type_parameters
struct_type                  record
interface_type               record kind=interface
field_declaration            hook fn=field name=name type=type
type_elem                    hook fn=type_element
var_spec                     bind name=name type=type value=value
const_spec                   bind name=name type=type value=value kind=constant
short_var_declaration        bind name=left value=right
assignment_statement         assign left=left right=right read
inc_statement,dec_statement  assign left=0 read
range_clause                 range left=left right=right pairs
receive_statement            bind name=left value=right
type_switch_statement        hook fn=type_switch
block,if_statement,for_statement,expression_case,default_case,communication_case block
expression_switch_statement,select_statement block
return_statement             return
identifier,type_identifier,package_identifier,field_identifier name
selector_expression          member of=operand name=field
qualified_type               member of=package name=name
call_expression              call callee=function args=arguments type_args=type_arguments
composite_literal            cast type=type of=body
keyed_element                hook fn=keyed
type_conversion_expression   hook fn=conversion
type_assertion_expression    cast type=type of=operand shown
index_expression             index of=operand
slice_expression             same of=operand
parenthesized_expression     same of=0
unary_expression             hook fn=unary
expression_list              tuple
pointer_type,parenthesized_type,negated_type same of=0
generic_type                 generic of=type flat
type_instantiation_expression generic of=type
slice_type,array_type,implicit_length_array_type listtype of=element
channel_type                 maptype key=value of=value  # by which it is ranged over, too
map_type                     maptype key=key of=value
function_type                functype params=parameters result=result
parameter_list               hook type_fn=results
interpreted_string_literal,raw_string_literal literal is=string
int_literal                  literal is=int
label_name                   skip
"""
_WORDS = words_of("go.txt")
_BUILTINS = _WORDS["builtin_types"] | _WORDS["builtins"]
_VERSION = re.compile(r"(?:/|\.)v\d+$")  # at the end of a path
_PACKAGE = re.compile(r"^((?:.*/)?[^./]*(?:\.v\d+(?=\.|$))?).*")
_MODULE = re.compile(r"^module\s+[\"`]?(?:std\b)?([^\s\"`]*)", re.MULTILINE)
# interfaces of the library that types are checked for: methods with parameters and results
_NATIVE_INTERFACES: dict[str, dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "error": {"Error": ((), ("string",))},
    "fmt.Stringer": {"String": ((), ("string",))},
    "io.Reader": {"Read": (("[]byte",), ("int", "error"))},
    "io.Writer": {"Write": (("[]byte",), ("int", "error"))},
    "io.Closer": {"Close": ((), ("error",))},
    "sort.Interface": {
        "Len": ((), ("int",)),
        "Less": (("int", "int"), ("bool",)),
        "Swap": (("int", "int"), ()),
    },
    "net/http.Handler": {
        "ServeHTTP": (("net/http.ResponseWriter", "net/http.Request"), ()),
    },
}
_RESULTS = groups_of("go.txt", "result")  # of functions of the library
Signature = tuple[int, tuple[Value | None, ...]]  # number of parameters; their types and results
_ANY: Value = (OUTSIDE_INSTANCE, "", ())  # a type parameter of an interface


class GoPackage(NamedTuple):
    """The files of a folder that name the same package."""

    path: str
    name: str
    folder: str


class GoRules(Rules):
    """The rules of Go."""

    forms = read_table(_TABLE)
    builtins = _BUILTINS
    bases_inside = calls_convert = merges_modules = knows_literals = True
    leaves_reads = reads_members = False

    # --- declarations

    def package(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """`package a`."""
        walker.unit.package = walker.text(node.named_children[0]) if node.named_children else ""

    def import_spec(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """`import name "path"`; names are bound when all packages are known."""
        *alias, quoted = [walker.text(child) for child in node.named_children]
        path, name = quoted[1:-1], "".join(alias)
        walker.import_path(path, node, name)
        if name == ".":
            walker.unit.stars.append(path)
        walker.ignored.update(alias or _guesses(path))

    def receiver(self, walker: "Walker", symbol: CodeSymbol, node: "Node") -> Term | None:
        if "*" in walker.text(node):
            symbol.flags.add("pointer")
        listed = [child for child in plain_children(node) if child.type == "parameter_declaration"]
        if not listed:
            return None
        term = walker.type_term(listed[0].child_by_field_name("type"))
        if (name := listed[0].child_by_field_name("name")) is not None:
            walker.self_parameter(name, symbol)
        if term is None or term[0] != GENERIC:
            return term
        for argument in term[2]:
            if argument is not None and argument[0] == NAME:
                parameter = (TYPE_PARAMETER, argument[1], None)
                walker.bind(argument[1], node.start_byte, None, parameter)
        generic: Term = term[1]
        return generic

    def bases(self, walker: "Walker", symbol: CodeSymbol, node: "Node") -> None:
        if node.type == "type_alias":
            symbol.flags.add("alias")
        elif symbol.underlying is not None:  # it has its fields
            symbol.bases.append(("", symbol.underlying, symbol.line, symbol.start))

    def field(self, walker: "Walker", node: "Node", form: Form) -> None:
        """Fields, or an embedded type, which has no name."""
        type_node = node.child_by_field_name("type")
        if node.child_by_field_name("name") is not None:
            walker.visit_bind(node, form, False)
        elif type_node is not None and walker.owner_type != FILE:
            symbol = walker.unit.symbols[walker.owner_type]
            if (term := walker.base(symbol, "extends", type_node)) is not None:
                plain = term[1] if term[0] == GENERIC else term
                walker.bind(str(plain[-1]), node.start_byte, term)

    def type_element(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """An embedded interface, or a constraint."""
        children = node.named_children
        symbol = walker.unit.symbols[walker.owner_type] if walker.owner_type != FILE else None
        is_base = len(children) == 1 and walker.role(children[0]) in ("name", "member", "generic")
        if symbol is not None and is_base:
            walker.base(symbol, "extends", children[0])
            return
        if symbol is not None:
            symbol.flags.add("constraint")
        walker.visit_all(node)

    def type_switch(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """`switch a := b.(type)`: in each case, a is of its type."""
        alias = node.child_by_field_name("alias")
        cases = [child for child in node.named_children if child.type.endswith("_case")]
        with walker.inside("block"):
            walker.visit(node.child_by_field_name("initializer"))
            term = walker.visit(node.child_by_field_name("value"))
            for case in cases:
                with walker.inside("block"):
                    types = [walker.type_term(one) for one in case.children_by_field_name("type")]
                    narrowed = (types[0], None) if len(types) == 1 else (None, term)
                    for name in plain_children(alias):
                        walker.bind(walker.text(name), case.start_byte, *narrowed)
                    walker.visit_all(case)

    # --- expressions

    def keyed(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """`a: b` in a literal; the name of a field is no reference."""
        key, value = node.named_children[0], node.named_children[-1]
        literal = node.parent.parent if node.parent is not None else None
        of = literal.child_by_field_name("type") if literal is not None else None
        inner = key.named_children[0] if key.named_children else key
        if inner.type != "identifier" or walker.role(of) in ("listtype", "maptype"):
            walker.visit(key)
        walker.visit(value)

    def conversion(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """`T(a)`; what looks like `T[A](a)` may be a call of a generic function."""
        type_node = node.child_by_field_name("type")
        if type_node is None or type_node.type != "generic_type":
            return walker.visit_cast(node, _CAST, False)
        callee = walker.type_term(type_node)
        arguments = (walker.visit(node.child_by_field_name("operand")),)
        if callee is not None:
            walker.refer("calls", callee[1], type_node, arguments)
        return (CALL, callee, arguments)

    def unary(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """`<-a`, `&a`, `*a`, `-a`."""
        term = walker.visit(node.child_by_field_name("operand"))
        return (ELEMENT, term) if term and walker.text(node).startswith("<-") else term

    # --- types

    def results(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """`(A, b B)` as the results of a function, which may have names."""
        listed = [child for child in node.named_children if walker.role(child) == "param"]
        names = [name for child in listed for name in walker.parameter(child)[0]]
        bound = walker.unit.scopes[walker.scope].names
        types = tuple(bound[name][-1][B_TYPE] for name in names)
        return types[0] if len(types) == 1 else (SEVERAL, types)

    # --- packages

    def begin_linking(self, resolver: Resolver) -> None:
        self._paths: dict[str, str] = {}  # by folder
        self._has_module = False
        self.packages: dict[str, GoPackage] = {}  # by the key of the module
        for unit in resolver.units.values():
            folder, name = posixpath.dirname(unit.path), unit.package or "_"
            path = self._path_of(resolver, folder)
            path = f"{path}_test" if name.endswith("_test") else path or name
            self.packages[self.module(resolver, unit)] = GoPackage(path, name, folder)
        # programs such as generators may be in the folder of a package
        ordered = sorted(self.packages.items(), key=lambda item: (item[1].name != "main", item))
        self.by_path = {package.path: key for key, package in ordered}
        for unit in resolver.units.values():
            self._bind_imports(unit)

    def _path_of(self, resolver: Resolver, folder: str) -> str:
        """Return the import path of a folder: the nearest go.mod says it, else it is its own."""
        if folder not in self._paths:
            above, name = posixpath.split(folder)
            found = _MODULE.search(resolver.read(posixpath.join(folder, "go.mod")) or "")
            self._has_module = self._has_module or found is not None
            path = found[1] if found else ""
            if found is None and folder:
                path = posixpath.join(self._path_of(resolver, above), name)
            self._paths[folder] = path
        return self._paths[folder]

    def _bind_imports(self, unit: Unit) -> None:
        """Bind the names of imports; those that are sure come before guesses."""
        listed: list[tuple[int, list[str], str]] = []
        for path, _, alias in unit.imports:
            package = self.packages.get(self.by_path.get(path, ""))
            sure = alias or (package.name if package else "")
            names = [sure] if sure else _guesses(path)
            listed.append((len(names), names, path))
        scope = unit.scopes[0].names
        for _, names, path in sorted(listed):
            for name in names:
                scope.setdefault(name, [(0, 0, 0, None, (IMPORT, path, None), NO_SYMBOL)])

    def module(self, resolver: Resolver, unit: Unit) -> str:
        return f"{posixpath.dirname(unit.path)}:{unit.package or '_'}"

    def imported(
        self, resolver: Resolver, unit: Unit, path: str, member: str | None
    ) -> Value | None:
        key = self.by_path.get(path, unit.module)
        return (MODULE, key) if key != unit.module else (OUTSIDE, path)

    def imported_ends(self, resolver: Resolver, unit: Unit, path: str, member: str) -> list[str]:
        key = self.by_path.get(path, unit.module)
        return [_package_id(self.packages[key])] if key != unit.module else []

    def module_step(self, unit: Unit, module: str, found: list[FoundBinding]) -> str:
        return "package"

    def canonical(self, resolver: Resolver, symbol: CodeSymbol) -> tuple[str, str]:
        package = self.packages[symbol.unit.module]
        outer = symbol.unit.symbols[symbol.parent] if symbol.parent != FILE else None
        is_inside = outer is not None and (outer.kind in CALLABLES or "inline" in outer.flags)
        if is_inside or symbol.name == "_":  # types inside of functions are no nodes
            symbol.flags.add("inline")
        names = symbol.path()
        if symbol.receiver is not None:
            owner = str(symbol.receiver[-1])
            names = [f"(*{owner})" if "pointer" in symbol.flags else owner, symbol.name]
        name = ".".join(names)
        return f"{package.name}.{name}", f"{package.path}.{name}"

    def is_native(self, name: str) -> bool:
        first, slash, _ = name.partition("/")
        return not slash or "." not in first

    @staticmethod
    @cache
    def package_of(name: str) -> str:
        """Return the path of the package of something outside."""
        return _PACKAGE.sub(r"\1", name)

    def outside_node(self, name: str, kind: str) -> tuple[str, str]:
        path = self.package_of(name)
        word = name[len(path) + 1 :]
        if kind == "type" and (word or name) in words_of("go_interfaces.txt").get(path, ()):
            kind = "interface"
        return f"{_guesses(path)[0]}.{word}" if word else name, kind

    def is_shared(self, symbol: CodeSymbol) -> bool:
        return symbol.parent == FILE

    def outside_kind(self, kind: str, value: Value) -> str:
        member = value[1].removeprefix(f"{self.package_of(value[1])}.")
        if self.is_outside_type(value[1]):
            return "uses"
        return "" if "." in member else kind

    def is_outside_type(self, name: str) -> bool:
        return name in _WORDS["builtin_types"] or _RESULTS.get(name) == name

    def base_order(self, resolver: Resolver, symbol: CodeSymbol) -> BaseOrder:
        """Return embedded types by their depth: a shallower member hides a deeper one."""
        order: BaseOrder = [(symbol, ())]
        for base, _ in order:  # it grows meanwhile
            seen = {known for known, _ in order}
            order += [found for found in resolver.direct_bases(base) if found[0] not in seen]
        return order

    def implicit(self, resolver: Resolver, unit: Unit, name: str) -> Value | None:
        paths = [path for path in unit.stars if path not in self.by_path]
        return (OUTSIDE, f"{paths[0]}.{name}") if name[:1].isupper() and len(paths) == 1 else None

    def candidates(self, targets: "list[Target]", place: Place) -> "list[Target]":
        found = [(target, target.symbol.unit.path) for target in targets if target.symbol]
        if len(found) < 2:
            return targets
        path = place.unit.path
        own = [target for target, other in found if other == path]
        return own or [one for one, other in found if _built_together(other, path)] or targets

    def notes(self, resolver: Resolver) -> list[str]:
        note = (
            "no go.mod: imports between the project's own packages cannot be told from "
            "external ones"
        )
        return [note] if self.packages and not self._has_module else []

    # --- evaluation

    def outside_result(
        self,
        resolver: Resolver,
        value: Value,
        arguments: tuple[Term | None, ...],
        place: Place | None,
    ) -> Value | None:
        name = value[1]
        if name in ("make", "new") and arguments and place is not None:
            return resolver.value_of_type(arguments[0], place)
        if name in _WORDS["same"] and arguments and place is not None:
            return resolver.evaluate(arguments[0], place)
        return _native_value(_RESULTS[name]) if name in _RESULTS else None

    # --- interfaces

    def finish(self, linker: "Linker") -> None:
        for package in self.packages.values():
            node = _package_id(package)
            linker.nodes[node] = OutlineNode(
                node, package.path, "module", file=package.folder, full=package.path
            )
        for unit in linker.resolver.units.values():
            home = file_id(unit.path)
            linker.add(_package_id(self.packages[unit.module]), "declares", home, 1, "package")
            for symbol in unit.symbols:
                if symbol.attached_to is not None:
                    linker.add(home, "declares", symbol.id, symbol.line, "package")
        Implementations(linker).add()


class Implementations:
    """Which types have the methods of which interfaces: Go's own rule."""

    def __init__(self, linker: "Linker") -> None:
        self.linker, self.resolver = linker, linker.resolver

    def add(self) -> None:
        """Add the links of all types."""
        wanted: dict[CodeSymbol | str, dict[str, Signature]] = {**_NATIVE_SIGNATURES}
        by_method: dict[str, list[tuple[CodeSymbol, dict[str, CodeSymbol]]]] = {}
        for unit in self.resolver.units.values():
            for symbol in unit.symbols:
                if symbol.kind not in TYPES or not symbol.id or "alias" in symbol.flags:
                    continue
                defined = self.resolver.underlying((INSTANCE, symbol, ()))
                if defined and defined[0] == INSTANCE and defined[1].kind == "interface":
                    wanted[symbol] = self._wanted(symbol)
                    continue
                methods = self._methods_of(symbol)
                for name in methods:
                    by_method.setdefault(name, []).append((symbol, methods))
        for target, signatures in wanted.items():
            having = [by_method.get(name, []) for name in signatures]
            for symbol, methods in min(having, key=len, default=[]):
                self._check(symbol, methods, target, signatures)

    def _check(
        self,
        symbol: CodeSymbol,
        methods: dict[str, CodeSymbol],
        target: CodeSymbol | str,
        wanted: dict[str, Signature],
    ) -> None:
        """Link a type to an interface if it has its methods, which others may not see."""
        module = target.unit.module if isinstance(target, CodeSymbol) else None
        for name, signature in wanted.items():
            method = methods.get(name)
            if (
                method is None
                or not _alike(signature, self._signature(method))
                or not (name[:1].isupper() or module in (None, method.unit.module))
            ):
                return
        if isinstance(target, str):
            self.linker.add_outside(symbol.id, "implements", target, symbol.line)
        else:
            via = "receiver" if any("pointer" in methods[name].flags for name in wanted) else "type"
            self.linker.add(symbol.id, "implements", target.id, symbol.line, via)

    @staticmethod
    def _own_members(symbol: CodeSymbol) -> Iterator[CodeSymbol]:
        """Yield the fields and methods that are declared in a type or for it."""
        names = symbol.unit.scopes[symbol.inner].names
        inner = [(symbol.unit, bindings[0]) for bindings in names.values()]
        for unit, binding in (*inner, *(found[0] for found in symbol.outer_members.values())):
            if binding[B_SYMBOL] >= 0:
                yield unit.symbols[binding[B_SYMBOL]]

    def _methods_of(self, symbol: CodeSymbol) -> dict[str, CodeSymbol]:
        """Return the methods of a type by name; one that is defined as another has only its own."""
        order = [base for base, _ in self.resolver.order(symbol)]
        own = order if symbol.underlying is None else order[:1]
        members = {one.name: one for base in reversed(own) for one in self._own_members(base)}
        return {name: member for name, member in members.items() if member.kind == "method"}

    def _wanted(self, symbol: CodeSymbol) -> dict[str, Signature]:
        """Return the methods of an interface with their signatures; none if not all are known."""
        wanted: dict[str, Signature] = {}
        for base in self.resolver.outside_bases(symbol):
            if base is None or base[1] not in _NATIVE_SIGNATURES:
                return {}
            wanted |= _NATIVE_SIGNATURES[base[1]]
        for each, _ in self.resolver.order(symbol):
            if "constraint" in each.flags:
                return {}
            for method in self._own_members(each):
                wanted[method.name] = self._signature(method, each.type_parameters)
        return wanted

    def _signature(self, method: CodeSymbol, variables: tuple[str, ...] = ()) -> Signature:
        """Return the types of a method's parameters and results; ANY for type parameters."""
        env: dict[str, Value | None] = dict.fromkeys(variables, _ANY)
        place = Place(method.unit, method.inner, END, env or None)
        names, result = method.unit.scopes[method.inner].names, method.result
        terms = [names[name][0][B_TYPE] for name in method.parameters if name in names]
        results = () if result is None else result[1] if result[0] == SEVERAL else (result,)
        types = [self.resolver.value_of_type(term, place) for term in (*terms, *results)]
        return len(terms), tuple(types)


def _alike(wanted: Signature, declared: Signature) -> bool:
    """Tell whether two signatures agree; type parameters of an interface agree with all."""
    pairs = zip_longest(wanted[1], declared[1])
    return wanted[0] == declared[0] and all(
        want and have and (want == _ANY or want[:2] == have[:2]) for want, have in pairs
    )


def _native_value(text: str) -> Value:
    value: Value = (OUTSIDE_INSTANCE, text.removeprefix("[]"), ())
    return (LIST, value) if text.startswith("[]") else value


def _package_id(package: GoPackage) -> str:
    return project_id(f"{package.folder or '.'}/", package.path, 0)


def _built_together(path: str, other: str) -> bool:
    """Tell whether a file is built whenever another one is, as far as their names say."""
    tags, wanted = (
        _WORDS["build_tags"].intersection(
            posixpath.basename(name).removesuffix(".go").split("_")[1:]
        )
        for name in (path, other)
    )
    is_test = path.endswith("_test.go") and not other.endswith("_test.go")
    return not is_test and (tags <= wanted or wanted <= tags)


def _guesses(path: str) -> list[str]:
    """Return the names that a package outside may have, the likeliest first."""
    last = posixpath.basename(_VERSION.sub("", path))
    names = [
        last, last.removeprefix("go-"), last.removesuffix("-go"), last.removesuffix(".go"),
        last.replace("-", "_"), last.replace("-", ""), last.split("-")[-1], last.split(".")[0],
        last.split("-")[0],
    ]  # fmt: skip
    return list(dict.fromkeys(names))


_NATIVE_SIGNATURES: dict[CodeSymbol | str, dict[str, Signature]] = {
    name: {
        method: (len(taken), tuple(map(_native_value, (*taken, *results))))
        for method, (taken, results) in methods.items()
    }
    for name, methods in _NATIVE_INTERFACES.items()
}
_CAST = form("cast type=type of=operand")

LANGUAGE = language(
    GoRules(),
    name="go",
    grammar=lambda _path: tree_sitter_go.language(),
    package="tree-sitter-go",
    version=8,
)
