"""Go: the table of its grammar, and its rules."""

import posixpath
import re
from collections import Counter
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

import tree_sitter_go
from tree_sitter import Node

from ghostmem.outline.engine.extract import Walker
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
from ghostmem.outline.engine.resolve import CALLABLES, TYPES, Place, Resolver
from ghostmem.outline.engine.table import Form, form, read_table, words_of
from ghostmem.outline.engine.terms import (
    CALLABLE,
    ELEMENT,
    GENERIC,
    IMPORT,
    INSTANCE,
    LIST,
    MAP,
    MODULE,
    NAME,
    OUTSIDE,
    OUTSIDE_INSTANCE,
    SEVERAL,
    THIS,
    VALUE_OF,
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
assignment_statement         hook fn=assignment left=left right=right
inc_statement,dec_statement  hook fn=assignment left=0
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
_BUILTIN_TYPES = frozenset(
    "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 "
    "int64 rune string uint uint8 uint16 uint32 uint64 uintptr".split()
)
_BUILTINS = _BUILTIN_TYPES | frozenset(
    "append cap clear close complex copy delete imag len make max min new panic print println real "
    "recover true false nil iota".split()
)
_BUILD_TAGS = frozenset(
    "aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd "
    "plan9 solaris wasip1 windows zos 386 amd64 arm arm64 loong64 "
    "mips mips64 mips64le mipsle ppc64 ppc64le "
    "riscv64 s390x wasm".split()
)
_VERSION = re.compile(r"\.v\d+(?=\.|$)")
_MODULE = re.compile(r"^module\s+[\"`]?([^\s\"`]+)", re.MULTILINE)
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
# functions of the library: the types of their results
_RESULTS = dict(
    line.split()
    for line in """
errors.New error
errors.Join error
errors.Unwrap error
fmt.Errorf error
fmt.Sprintf string
fmt.Sprint string
fmt.Sprintln string
strings.ToLower string
strings.ToUpper string
strings.TrimSpace string
strings.Join string
strings.Split []string
strings.Fields []string
strings.NewReader strings.Reader
strings.NewReplacer strings.Replacer
bytes.NewBuffer bytes.Buffer
bytes.NewBufferString bytes.Buffer
bytes.NewReader bytes.Reader
bufio.NewReader bufio.Reader
bufio.NewWriter bufio.Writer
bufio.NewScanner bufio.Scanner
context.Background context.Context
context.TODO context.Context
time.Now time.Time
time.Since time.Duration
reflect.ValueOf reflect.Value
reflect.TypeOf reflect.Type
regexp.MustCompile regexp.Regexp
log.New log.Logger
error.Error string
bytes.Buffer.String string
bytes.Buffer.Bytes []byte
strings.Builder.String string
time.Time.Sub time.Duration
time.Time.Add time.Time
reflect.Value.Type reflect.Type
reflect.Value.Elem reflect.Value
reflect.Value.Field reflect.Value
reflect.Value.Index reflect.Value
reflect.Type.Elem reflect.Type
""".split("\n")
    if line
)
_SAME = frozenset(
    "append min max slices.Clone slices.Grow slices.Clip slices.Insert slices.Delete "
    "slices.DeleteFunc slices.Compact slices.CompactFunc maps.Clone cmp.Or sync.OnceValue "
    "sync.OnceFunc".split()
)
_NAMED_TYPES = ("type_identifier", "qualified_type", "generic_type")
_CONTAINER_TYPES = ("map_type", "slice_type", "array_type", "implicit_length_array_type")
# conversions to types of the library, which look like calls
_OUTSIDE_TYPES = frozenset(
    "net/http.HandlerFunc time.Duration html/template.HTML encoding/json.RawMessage "
    "sort.StringSlice sort.IntSlice reflect.Kind unsafe.Pointer net/http.Header net/url.Values "
    "time.Month time.Weekday io/fs.FileMode os.FileMode syscall.Errno".split()
)
RECEIVER_PARAMETER = "receiver parameter"  # a term of Go's own
_MAX_EMBEDDED = 20  # levels of embedded types


Signature = tuple[tuple[Value | None, ...], tuple[Value | None, ...]]  # parameters, results
Methods = dict[str, tuple[CodeSymbol, bool]]  # by name; whether only pointers have them
_ANY: Value = (OUTSIDE_INSTANCE, "", ())  # a type parameter of an interface


class GoPackage(NamedTuple):
    """The files of a folder that name the same package."""

    key: str
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

    def signature(self, walker: "Walker", node: "Node") -> str:
        return walker.head(node, node.child_by_field_name("body"))[:300]

    def package(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """`package a`."""
        walker.unit.package = walker.text(node.named_children[0]) if node.named_children else ""

    def import_spec(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """`import name "path"`; names are bound when all packages are known."""
        *alias, path = [walker.text(child) for child in node.named_children]
        path = path[1:-1]
        walker.import_path(path, node)
        if alias == ["."]:
            walker.unit.stars.append(path)
        elif alias != ["_"]:
            walker.unit.detail = [*(walker.unit.detail or ()), (*alias, path)]
            walker.ignored.update(alias or _guesses(path))

    def receiver(self, walker: "Walker", symbol: CodeSymbol, node: "Node") -> Term | None:
        if "*" in walker.text(node):
            symbol.flags.add("pointer")
        listed = [child for child in node.named_children if child.type == "parameter_declaration"]
        term = walker.type_term(listed[0].child_by_field_name("type")) if listed else None
        name = listed[0].child_by_field_name("name") if listed else None
        if term is not None and term[0] == GENERIC:
            for number, argument in enumerate(term[2]):
                if argument is not None and argument[0] == NAME:
                    walker.bind(argument[1], node.start_byte, None, (RECEIVER_PARAMETER, number))
            term = term[1]
        if name is not None:
            text = walker.text(name)
            walker.bind(text, node.start_byte, None, (THIS, text))
            walker.receivers = {text: (THIS, text)}
        return term

    def bases(self, walker: "Walker", symbol: CodeSymbol, node: "Node") -> None:
        if node.type == "type_alias":
            symbol.flags.add("alias")
        elif symbol.underlying is not None:  # it has its fields
            symbol.bases.append(("", symbol.underlying, symbol.line, symbol.start))

    def field(self, walker: "Walker", node: "Node", form: Form) -> None:
        """Fields, or an embedded type, which has no name."""
        type_node = node.child_by_field_name("type")
        symbol = walker.unit.symbols[walker.unit.scopes[walker.scope].symbol]
        if node.child_by_field_name("name") is not None:
            walker.visit_bind(node, form, False)
        elif type_node is not None and (term := walker.base(symbol, "extends", type_node)):
            if walker.text(node).startswith("*"):
                symbol.flags.add(f"pointer {type_node.start_byte}")
            plain = term[1] if term[0] == GENERIC else term
            walker.bind(str(plain[-1]), node.start_byte, term)

    def type_element(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """An embedded interface, or a constraint."""
        symbol = walker.unit.symbols[walker.unit.scopes[walker.scope].symbol]
        children = node.named_children
        if len(children) == 1 and children[0].type in _NAMED_TYPES:
            walker.base(symbol, "extends", children[0])
        else:
            symbol.flags.add("constraint")
            for child in children:
                walker.type_term(child)

    def assignment(self, walker: "Walker", node: "Node", form: Form) -> None:
        """`a = b`; `a += b` and `a++` read as well."""
        operator = node.child_by_field_name("operator")
        if operator is None or operator.type != "=":
            walker.visit(walker.child(node, form, "left"))
        walker.visit_assign(node, form, False)

    def type_switch(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """`switch a := b.(type)`: in each case, a is of its type."""
        alias = node.child_by_field_name("alias")
        with walker.inside("block"):
            walker.visit(node.child_by_field_name("initializer"))
            term = walker.visit(node.child_by_field_name("value"))
            for case in node.named_children:
                if case.type not in ("type_case", "default_case"):
                    continue
                with walker.inside("block"):
                    listed = case.children_by_field_name("type")
                    types = [walker.type_term(child) for child in listed]
                    narrowed = (types[0], None) if len(types) == 1 else (None, term)
                    for name in alias.named_children if alias is not None else ():
                        walker.bind(walker.text(name), case.start_byte, *narrowed)
                    for child in case.named_children:
                        if child not in listed:
                            walker.visit(child)

    # --- expressions

    def keyed(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """`a: b` in a literal; the name of a field is no reference."""
        key, value = node.named_children[0], node.named_children[-1]
        literal = node.parent.parent if node.parent is not None else None
        of = literal.child_by_field_name("type") if literal is not None else None
        inner = key.named_children[0] if key.named_children else key
        if inner.type != "identifier" or (of is not None and of.type in _CONTAINER_TYPES):
            walker.visit(key)
        walker.visit(value)

    def conversion(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """`T(a)`; what looks like `T[A](a)` may be a call of a generic function."""
        type_node, operand = (node.child_by_field_name(one) for one in ("type", "operand"))
        if type_node is None or type_node.type != "generic_type":
            return walker.visit_cast(node, _CAST, False)
        callee = walker.visit(type_node.child_by_field_name("type"), quiet=True)
        arguments = type_node.child_by_field_name("type_arguments")
        types = [walker.type_term(child) for child in arguments.named_children] if arguments else []
        term = walker.visit(operand)
        if callee is None:
            return None
        walker.refer("calls", callee, type_node, (term,))
        return ("call", (GENERIC, callee, tuple(types)), (term,))

    def unary(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """`<-a`, `&a`, `*a`, `-a`."""
        term = walker.visit(node.child_by_field_name("operand"))
        return (ELEMENT, term) if term and walker.text(node).startswith("<-") else term

    def known_call(
        self, walker: "Walker", node: "Node", fn: "Node", args: "Node | None"
    ) -> tuple[Term | None] | None:
        if fn.type != "identifier" or walker.text(fn) not in ("make", "new") or args is None:
            return None
        term = walker.type_term(next(iter(args.named_children), None))
        for child in args.named_children[1:]:
            walker.visit(child)
        walker.refer("calls", (NAME, walker.text(fn)), fn, ())
        return ((VALUE_OF, term) if term is not None else None,)

    # --- types

    def results(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """`(A, b B)` as the results of a function, which may have names."""
        types: list[Term | None] = []
        for child in node.named_children:
            if child.type == "parameter_declaration":
                term = walker.type_term(child.child_by_field_name("type"))
                names = child.children_by_field_name("name")
                for name in names:
                    walker.bind(walker.text(name), child.start_byte, term)
                types += [term] * max(1, len(names))
        return types[0] if len(types) == 1 else (SEVERAL, tuple(types))

    # --- packages

    def begin_linking(self, resolver: Resolver) -> None:
        self._modules: dict[str, str | None] = {}
        self.packages: dict[str, GoPackage] = {}
        self.by_path: dict[str, GoPackage] = {}
        sizes = Counter(
            self.module(resolver, unit)
            for unit in resolver.units.values()
            if not unit.path.endswith("_test.go")
        )
        for unit in resolver.units.values():
            folder, name = posixpath.dirname(unit.path), unit.package or "_"
            path = self._module_of(resolver, folder)
            path = folder if path is None else path
            path = f"{path}_test" if name.endswith("_test") else path or name
            key = self.module(resolver, unit)
            self.packages[key] = GoPackage(key, path, name, folder)
        for package in sorted(
            self.packages.values(), key=lambda one: (one.name == "main", -sizes[one.key], one.name)
        ):
            self.by_path.setdefault(package.path, package)
        for unit in resolver.units.values():
            self._bind_imports(unit)

    def _module_of(self, resolver: Resolver, folder: str) -> str | None:
        """Return the import path of a folder: the nearest go.mod says it."""
        if folder not in self._modules:
            found = _MODULE.search(resolver.read(posixpath.join(folder, "go.mod")) or "")
            path = found[1] if found else None
            if path is None and folder:
                above = self._module_of(resolver, posixpath.dirname(folder))
                path = None if above is None else posixpath.join(above, posixpath.basename(folder))
            self._modules[folder] = "" if path == "std" else path
        return self._modules[folder]

    def _bind_imports(self, unit: Unit) -> None:
        """Bind the names of imports; of guesses the likeliest ones first."""
        listed: list[list[tuple[str, str]]] = []
        for *alias, path in unit.detail or ():
            if not alias and path in self.by_path:
                alias = [self.by_path[path].name]
            listed.append([(name, path) for name in alias or _guesses(path)])
        names: dict[str, str] = {}
        for ranked in zip_longest(*listed):
            for name, path in filter(None, ranked):
                names.setdefault(name, path)
        scope = unit.scopes[0].names
        for name, path in names.items():
            scope.setdefault(name, []).append((0, 0, 0, None, (IMPORT, path, None), NO_SYMBOL))

    def module(self, resolver: Resolver, unit: Unit) -> str:
        return f"{posixpath.dirname(unit.path)}:{unit.package or '_'}"

    def imported(
        self, resolver: Resolver, unit: Unit, path: str, member: str | None
    ) -> Value | None:
        package = self.by_path.get(path)
        if package is not None and package.key != unit.module:
            return (MODULE, package.key)
        return (OUTSIDE, path)

    def imported_ends(self, resolver: Resolver, unit: Unit, path: str, member: str) -> list[str]:
        package = self.by_path.get(path)
        return [_package_id(package)] if package and package.key != unit.module else []

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
        path, name = posixpath.split(name)
        found = _VERSION.match(name, name.find("."))
        stop = found.end() if found else name.find(".")
        return posixpath.join(path, name[:stop] if stop > 0 else name)

    def outside_node(self, name: str, kind: str) -> tuple[str, str]:
        path = self.package_of(name)
        word = name[len(path) + 1 :]
        if kind == "module" or not word:
            return name, "interface" if name in ("error", "any") else kind
        is_interface = kind == "type" and word in words_of("go_interfaces.txt").get(path, ())
        return f"{_guesses(path)[0]}.{word}", "interface" if is_interface else kind

    def is_shared(self, symbol: CodeSymbol) -> bool:
        return symbol.parent == FILE

    def outside_kind(self, kind: str, value: Value) -> str:
        member = value[1][len(self.package_of(value[1])) + 1 :]
        if self.is_outside_type(value[1]):
            return "uses"
        is_field = (not member and value[1] not in self.builtins) or "." in member
        return "" if kind == "assigns" or is_field else kind

    def is_outside_type(self, name: str) -> bool:
        return name in _OUTSIDE_TYPES or name in _BUILTIN_TYPES

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
        folders = [package.folder for package in self.packages.values()]
        return [note] if folders and all(self._modules.get(one) is None for one in folders) else []

    # --- evaluation

    def evaluate(self, resolver: Resolver, term: Term, place: Place) -> Value | None:
        owner = place.unit.enclosing(place.scope) if term[0] == RECEIVER_PARAMETER else None
        if owner is None or term[1] >= len(owner.type_parameters):
            return None
        return resolver.evaluate(
            (NAME, owner.type_parameters[term[1]]), Place(owner.unit, owner.inner, END, place.env)
        )

    def call_result(
        self, resolver: Resolver, term: Term, callee: Value | None, place: Place
    ) -> Value | None:
        is_same = callee is not None and callee[0] == OUTSIDE and callee[1] in _SAME
        return resolver.evaluate(term[2][0], place) if is_same and term[2] else None

    def outside_result(
        self,
        resolver: Resolver,
        name: str,
        arguments: tuple[Term | None, ...],
        place: Place | None,
    ) -> Value | None:
        if name in _OUTSIDE_TYPES:
            return (OUTSIDE_INSTANCE, name, ())
        return _native_value(_RESULTS[name]) if name in _RESULTS else None

    def outside_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        is_field = value[0] == OUTSIDE and value[1] != self.package_of(value[1])
        return None if is_field else (OUTSIDE, f"{value[1]}.{name}")

    def iterable(self, resolver: Resolver, value: Value) -> Value:
        if value[0] == LIST:
            return (MAP, (OUTSIDE_INSTANCE, "int", ()), value[1])
        if value[0] == CALLABLE and value[2] and value[2][0] and value[2][0][0] == CALLABLE:
            yielded = value[2][0][2]
            return (MAP, yielded[0], yielded[-1]) if yielded else value
        return value

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
        wanted: dict[CodeSymbol | str, dict[str, Signature] | None] = {}
        by_method: dict[str, list[tuple[CodeSymbol, Methods]]] = {}
        for unit in self.resolver.units.values():
            for symbol in unit.symbols:
                if symbol.kind not in TYPES or not symbol.id or "alias" in symbol.flags:
                    continue
                defined = self.resolver.underlying((INSTANCE, symbol, ()))
                if defined and defined[0] == INSTANCE and defined[1].kind == "interface":
                    wanted[symbol] = self._wanted(symbol)
                    continue
                methods = self._methods(symbol)
                for name in methods:
                    by_method.setdefault(name, []).append((symbol, methods))
        declared = {symbol.full for symbol in wanted if isinstance(symbol, CodeSymbol)}
        natives = {
            name: methods for name, methods in _NATIVE_SIGNATURES.items() if name not in declared
        }
        for target, signatures in [*wanted.items(), *natives.items()]:
            having = [by_method.get(name, []) for name in signatures or ()]
            for symbol, methods in min(having, key=len, default=[]):
                self._check(symbol, methods, target, signatures or {})

    def _check(
        self,
        symbol: CodeSymbol,
        methods: Methods,
        target: CodeSymbol | str,
        wanted: dict[str, Signature],
    ) -> None:
        """Link a type to an interface if it has its methods, which others may not see."""
        module = target.unit.module if isinstance(target, CodeSymbol) else None
        for name, signature in wanted.items():
            method = methods[name][0] if name in methods else None
            if (
                method is None
                or not _alike(signature, self._signature(method))
                or not (name[:1].isupper() or module in (None, method.unit.module))
            ):
                return
        if isinstance(target, str):
            self.linker.add_outside(symbol.id, "implements", target, symbol.line)
        else:
            via = "receiver" if any(methods[name][1] for name in wanted) else "type"
            self.linker.add(symbol.id, "implements", target.id, symbol.line, via)

    def _wanted(self, symbol: CodeSymbol, depth: int = 0) -> dict[str, Signature] | None:
        """Return the methods of an interface with their signatures; None if not all are known."""
        if "constraint" in symbol.flags or depth > _MAX_EMBEDDED:
            return None
        methods = {
            method.name: self._signature(method, symbol.type_parameters)
            for method in self._own_methods(symbol)
        }
        for base in self.resolver.base_values(symbol):
            inherited = _NATIVE_SIGNATURES.get(base[1]) if base is not None else None
            if base is not None and base[0] == INSTANCE:
                inherited = self._wanted(base[1], depth + 1)
            if inherited is None:
                return None
            methods |= inherited
        return methods

    @staticmethod
    def _own_methods(symbol: CodeSymbol) -> list[CodeSymbol]:
        names = symbol.unit.scopes[symbol.inner].names if symbol.inner >= 0 else {}
        inner = [(symbol.unit, bindings[0]) for bindings in names.values()]
        return [
            unit.symbols[binding[B_SYMBOL]]
            for unit, binding in (*inner, *(found[0] for found in symbol.outer_members.values()))
            if binding[B_SYMBOL] >= 0 and unit.symbols[binding[B_SYMBOL]].kind == "method"
        ]

    def _methods(self, symbol: CodeSymbol, depth: int = 0) -> Methods:
        """Return the methods of a type by name, and whether only pointers have them."""
        methods = {one.name: (one, "pointer" in one.flags) for one in self._own_methods(symbol)}
        for relation, term, _, position in symbol.bases if depth < _MAX_EMBEDDED else ():
            value = self.resolver.value_of_type(term, Place(symbol.unit, symbol.inner, position))
            if relation and value is not None and value[0] == INSTANCE:
                through = f"pointer {position}" in symbol.flags  # a pointer leads to the type
                for name, (method, is_pointer) in self._methods(value[1], depth + 1).items():
                    methods.setdefault(name, (method, is_pointer and not through))
        return methods

    def _signature(self, method: CodeSymbol, variables: tuple[str, ...] = ()) -> Signature:
        """Return the types of a method's parameters and results; ANY for type parameters."""
        env: dict[str, Value | None] = dict.fromkeys(variables, _ANY)
        place = Place(method.unit, method.inner, END, env or None)
        names, result = method.unit.scopes[method.inner].names, method.result
        terms = [names[name][0][B_TYPE] for name in method.parameters if name in names]
        results = () if result is None else result[1] if result[0] == SEVERAL else (result,)
        given, returned = (
            tuple(self.resolver.value_of_type(term, place) for term in part)
            for part in (terms, results)
        )
        return given, returned


def _alike(wanted: Signature, declared: Signature) -> bool:
    """Tell whether two signatures agree; type parameters of an interface agree with all."""
    if [len(part) for part in wanted] != [len(part) for part in declared]:
        return False
    pairs = zip((*wanted[0], *wanted[1]), (*declared[0], *declared[1]), strict=True)
    return all(want == _ANY or (want and have and want[:2] == have[:2]) for want, have in pairs)


def _native_value(text: str) -> Value:
    value: Value = (OUTSIDE_INSTANCE, text.removeprefix("[]"), ())
    return (LIST, value) if text.startswith("[]") else value


def _package_id(package: GoPackage) -> str:
    return project_id(f"{package.folder or '.'}/", package.path, 0)


def _built_together(path: str, other: str) -> bool:
    """Tell whether a file is built whenever another one is, as far as their names say."""
    tags, wanted = (
        _BUILD_TAGS.intersection(posixpath.basename(name).removesuffix(".go").split("_")[1:])
        for name in (path, other)
    )
    is_test = path.endswith("_test.go") and not other.endswith("_test.go")
    return not is_test and (tags <= wanted or wanted <= tags)


def _guesses(path: str) -> list[str]:
    """Return the names that a package outside may have, the likeliest first."""
    words = path.split("/")
    last = words[-1]
    if len(words) > 1 and last[:1] == "v" and last[1:].isdigit():
        last = words[-2]
    last = _VERSION.sub("", last)
    names = [
        last, last.removeprefix("go-"), last.removesuffix("-go"), last.removesuffix(".go"),
        last.replace("-", "_"), last.replace("-", ""), last.split("-")[-1], last.split(".")[0],
        last.split("-")[0],
    ]  # fmt: skip
    return list(dict.fromkeys(names))


_NATIVE_SIGNATURES: dict[str, dict[str, Signature]] = {
    name: {
        method: (tuple(map(_native_value, taken)), tuple(map(_native_value, results)))
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
    version=6,
)
