"""Python: the table of its grammar, and its rules."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import islice
from pathlib import PurePosixPath
from posixpath import commonprefix, dirname

import tree_sitter_python
from tree_sitter import Language, Node, Parser

from ghostmem.grouping import grouped
from ghostmem.outline.engine.extract import Walker, plain_children
from ghostmem.outline.engine.facts import (
    B_SYMBOL,
    CLASS,
    END,
    FILE_SCOPE,
    FUNCTION_SCOPE,
    NO_SYMBOL,
    CodeSymbol,
    FoundBinding,
    Unit,
)
from ghostmem.outline.engine.language import Rules, language
from ghostmem.outline.engine.link import Target
from ghostmem.outline.engine.resolve import Place, Resolver, reaching
from ghostmem.outline.engine.table import Form, groups_of, read_table, words_of
from ghostmem.outline.engine.terms import (
    CALL,
    CALLABLE,
    ELEMENT,
    GENERIC,
    IMPORT,
    INSTANCE,
    LIST,
    LIST_OF,
    LITERAL,
    MAP,
    MAP_OF,
    MEMBER,
    MODULE,
    NAME,
    OUTSIDE,
    OUTSIDE_INSTANCE,
    OWN_TYPE,
    SEVERAL,
    SUPER,
    THIS,
    TUPLE,
    TYPE_PARAMETER,
    VALUE_OF,
    Term,
    Value,
    either,
    parts,
    union,
)

_TABLE = """
import_statement,import_from_statement,future_import_statement hook fn=imports
decorated_definition         hook fn=decorated
function_definition          func name=name params=parameters result=return_type body=body \
  type_params=type_parameters
class_definition             type name=name body=body type_params=type_parameters
type_alias_statement         type name=left type=right
lambda                       lambda params=parameters body=body
typed_parameter              param name=0 type=type
default_parameter            param name=name value=value optional
typed_default_parameter      param name=name type=type value=value
list_splat_pattern           param name=0 many
dictionary_splat_pattern     param name=0 many pairs
keyword_separator,positional_separator skip
assignment                   assign left=left right=right type=type
augmented_assignment         assign left=left right=right read
named_expression             assign left=name right=value
for_statement                range left=left right=right body=body
for_in_clause                range left=left right=right
list_comprehension,set_comprehension,generator_expression hook fn=comprehension
dictionary_comprehension     hook fn=comprehension
as_pattern                   hook fn=as_pattern
conditional_expression       either test=1
boolean_operator             either
except_clause,except_group_clause hook fn=except_clause
case_pattern                 hook fn=case_pattern
global_statement,nonlocal_statement hook fn=global_names
block                        block
return_statement             return
yield                        hook fn=yield_value
identifier                   name
attribute                    member of=object name=attribute
call                         call callee=function args=arguments
keyword_argument             same of=value only
subscript                    hook fn=subscript type_fn=generic
generic_type                 hook fn=subscript type_fn=generic
binary_operator,union_type   uniontype
parenthesized_expression     same of=0
await                        same of=0
type                         same of=0
expression_list,tuple,pattern_list,tuple_pattern tuple
list,set,list_pattern        list
string                       hook fn=string type_fn=quoted
concatenated_string          literal is=str walked
integer                      literal is=int
float                        literal is=float
true,false                   literal is=bool
dictionary                   hook fn=dictionary
pair                         tuple
none,ellipsis                notype
line_continuation            skip
"""
_DATA = "python.txt"
_KNOWN = words_of(_DATA)
_RESULTS = groups_of(_DATA, "result")
_NATIVE = _KNOWN["modules"] | _KNOWN["builtins"] | {"__file__", "__name__", "__doc__"}
_INTERFACES = {"Protocol", "ABC", "ABCMeta"}
_CLASS_METHODS = {"__new__", "__init_subclass__", "__class_getitem__"}
_EXPORTED = re.compile(rb"^__all__\s*\+?=\s*[\[(](.*?)[\])]", re.MULTILINE | re.DOTALL)
_STRING = re.compile(rb"[\"'](\w+)[\"']")
_CONSTANT = re.compile(r"_*[A-Z][A-Z0-9_]*$")
_QUOTES = re.compile(r"^[rRuU]*[\"']+|[\"']+$")
_CAPTURED = re.compile(r"(?<![\w.])[a-z_]\w*\b(?!\s*[.(=])")  # names that a pattern binds
_TYPE_LIKE = re.compile(r"[\w.\[\]|, \"']+$")
# functions with a meaning of their own, and which of their arguments is a type
_KNOWN_CALLS = {
    **dict.fromkeys("super TypeVar field attrib ib".split(), -1),
    "cast": 0, "isinstance": 1, "issubclass": 1,
}  # fmt: skip
ENTER, COMPREHENSION = "enter", "comprehension"  # terms: what `with` binds, a value in a scope


class PythonRules(Rules):
    """The rules of Python."""

    forms = read_table(_TABLE)
    containers = groups_of(_DATA, "container")
    builtins = _KNOWN["builtins"] | {"__file__", "__name__", "__doc__"}
    jumps = frozenset("return_statement raise_statement continue_statement break_statement".split())
    words: Mapping[str, str] = {THIS: "self", OWN_TYPE: "cls", SUPER: "super()"}
    constructor, call_method, item_methods = "__init__", "__call__", ("__iter__", "__getitem__")
    hoists = self_parameter = defaults_outside = class_scope = unpacks = True

    # --- imports

    def imports(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """`import a.b as c`, `from a import b as c`, `from a import *`."""
        module = node.child_by_field_name("module_name")
        is_plain, names = node.type == "import_statement", node.children_by_field_name("name")
        source = walker.text(module) if module is not None else "__future__"
        for child in names:
            name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
            text = walker.text(name or child)
            path, member = (text, None) if is_plain else (source, text)
            walker.import_path(path, node, member or "")
            bound = walker.text(alias) if alias is not None else text.split(".")[0]
            term: Term = (IMPORT, bound if is_plain and alias is None else path, member)
            walker.bind(bound, node.end_byte, None, term, home=walker.home(), end=walker.block)
        if not names:
            walker.import_path(source, node)
            walker.unit.stars.append(source)

    # --- declarations

    def begin(self, walker: "Walker", root: "Node") -> None:
        walker.state = {"global": set()}
        lists = _EXPORTED.findall(walker.source)
        names = [name.decode() for listed in lists for name in _STRING.findall(listed)]
        walker.unit.detail = names if lists else None

    def decorated(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """A definition with decorators, which are called unless they are calls themselves."""
        flags = {
            self._decorator(walker, child.named_children[0])
            for child in node.named_children
            if child.type == "decorator" and child.named_children
        }
        walker.flags, walker.whole = flags, node
        term = walker.visit(node.child_by_field_name("definition"))
        walker.whole = None
        if "setter" in flags and term is not None:  # it does not hide its getter
            walker.unit.symbols[term[1]].flags.add("property")
            bindings = walker.unit.scopes[walker.home()].names[walker.unit.symbols[term[1]].name]
            bindings[:] = [
                binding for binding in bindings if binding[B_SYMBOL] != term[1]
            ] or bindings

    @staticmethod
    def _decorator(walker: "Walker", node: "Node") -> str:
        """Visit a decorator and return the flag that it gives."""
        word = walker.text(node).partition("(")[0].rpartition(".")[2]
        if word in ("setter", "deleter"):
            return "setter"
        term = walker.visit(node, quiet=True)
        if term is not None and node.type != "call":
            walker.refer("calls", term, node, (None,))
        flags = {"classmethod": "class method", "staticmethod": "static"}
        is_property = word.endswith("property") or word == "getter"
        return "property" if is_property else flags.get(word, word)

    def function(self, walker: "Walker", symbol: CodeSymbol, node: "Node") -> None:
        if symbol.name in _CLASS_METHODS:
            symbol.flags.add("class method")

    def bases(self, walker: "Walker", symbol: CodeSymbol, node: "Node") -> None:
        listed = node.child_by_field_name("superclasses")
        walker.bind("Self", symbol.start, None, (TYPE_PARAMETER, "Self", (OWN_TYPE,)))
        inner, walker.scope = walker.scope, walker.unit.scopes[walker.scope].parent
        for child in listed.named_children if listed is not None else ():
            if child.type in ("identifier", "attribute", "subscript"):
                walker.base(symbol, "extends", child)
            else:
                walker.visit(child)
            name = walker.text(child).partition("[")[0].rpartition("=")[2].rpartition(".")[2]
            if name in _INTERFACES:
                symbol.kind = "interface"
        generic = [base[1][2] for base in symbol.bases if base[1][0] == GENERIC]
        names = [term[1] for terms in generic for term in terms if term and term[0] == NAME]
        symbol.type_parameters = tuple(dict.fromkeys([*symbol.type_parameters, *names]))
        walker.scope = inner

    def is_shared(self, symbol: CodeSymbol) -> bool:
        return True

    # --- statements

    def assign_name(
        self,
        walker: "Walker",
        target: "Node",
        value: Term | None,
        type_term: Term | None,
        node: "Node",
    ) -> None:
        name, home, number = walker.text(target), walker.home(), NO_SYMBOL
        scope = walker.unit.scopes[home]
        is_global = (home, name) in walker.state["global"]
        if is_global or any(binding[B_SYMBOL] >= 0 for binding in scope.names.get(name, ())):
            walker.refer("assigns", (NAME, name), target)
        elif scope.kind in (CLASS, FILE_SCOPE):
            kind = "constant" if _CONSTANT.match(name) else "variable"
            symbol = walker.define(node, name, "field" if scope.kind == CLASS else kind, "static")
            number = symbol.number
        if not is_global:
            walker.bind(name, node.end_byte, type_term, value, number, home)

    def global_names(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """`global a`, `nonlocal b`: assigning them does not bind them here."""
        if walker.unit.scopes[walker.home()].kind == FUNCTION_SCOPE:
            walker.state["global"] |= {
                (walker.home(), walker.text(child)) for child in node.named_children
            }

    def assign_member(
        self,
        walker: "Walker",
        term: Term,
        type_term: Term | None,
        value: Term | None,
        node: "Node",
        target: "Node",
    ) -> None:
        walker.refer("assigns", term, target)
        if (
            term[0] == MEMBER
            and term[1]
            and term[1][0] in (THIS, OWN_TYPE)
            and walker.owner_type >= 0
        ):
            home = walker.unit.symbols[walker.owner_type].inner
            walker.bind(term[2], node.start_byte, type_term, value, home=home, end=1)

    def comprehension(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """A comprehension: its clauses bind names for its element."""
        element, *clauses = plain_children(node)
        with walker.inside(FUNCTION_SCOPE) as scope:
            for child in clauses:
                walker.visit(child)
            term = walker.visit(element)
        is_map = element.type == "pair" and term is not None
        made = (MAP_OF, term[1][0], term[1][-1]) if term and is_map else (LIST_OF, term)
        return (COMPREHENSION, scope, made)

    def as_pattern(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """`with a as b`."""
        term = walker.visit(node.named_children[0])
        for target in node.named_children[-1].named_children:
            walker.assign(target, (ENTER, term) if term is not None else None, None, node)

    def except_clause(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """`except A as b`; one of several classes is not known."""
        with walker.in_block(node):
            for child in node.named_children:
                if child.type == "as_pattern":
                    value = (VALUE_OF, walker.type_term(child.named_children[0]))
                    for name in child.named_children[-1].named_children:
                        walker.pattern(name, value)
                elif child.type == "block":
                    walker.visit(child)
                else:
                    walker.type_term(child)

    def case_pattern(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """`case A(b):` binds b."""
        for name in _CAPTURED.findall(walker.text(node)):
            walker.bind(name, node.start_byte, home=walker.home())

    def yield_value(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Take the yielded values of a generator as the elements of its result."""
        terms = walker.visits(node)
        if not terms or terms[0] is None:
            return
        is_from = any(child.type == "from" for child in node.children)
        walker.returns(node, terms[0] if is_from else (LIST_OF, terms[0]))

    # --- expressions

    def subscript(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """`a[b]`: an element, a slice, or a class with type arguments."""
        base, *terms = walker.visits(node)
        index = node.named_children[1:]
        if base is None or any(child.type == "slice" for child in index):
            return base
        return (ELEMENT, base, tuple(terms))

    def string(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """A string, with the expressions in it."""
        prefix = walker.source[node.start_byte : node.start_byte + 2].lower()
        if b"f" in prefix or b"t" in prefix:
            walker.visit_all(node)
        return (LITERAL, "bytes" if b"b" in prefix else "str")

    def dictionary(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """A dictionary with values of one type."""
        pairs = [term[1] for term in walker.visits(node) if term is not None and term[0] == SEVERAL]
        is_uniform = len({pair[-1] for pair in pairs}) == 1
        return (MAP_OF, either(pair[0] for pair in pairs[:8]), pairs[0][-1] if is_uniform else None)

    def known_call(
        self, walker: "Walker", node: "Node", fn: "Node", args: "Node | None"
    ) -> tuple[Term | None] | None:
        name = walker.text(fn).rpartition(".")[2] if fn.end_byte - fn.start_byte < 40 else ""
        if name not in _KNOWN_CALLS or args is None:
            return None
        callee = walker.visit(fn, quiet=True)
        given: dict[str | int, Term | None] = {}
        for number, child in enumerate(args.named_children):
            word = child.child_by_field_name("name")
            key = walker.text(word) if word is not None else number
            value = child if word is None else child.child_by_field_name("value")
            is_type = key in ("bound", _KNOWN_CALLS[name])
            given[key] = walker.type_term(value or child) if is_type else walker.visit(value)
        if callee is None:
            return None
        walker.refer("calls", callee, fn, given.values())
        match name:
            case "super":
                return ((SUPER,),)
            case "cast":
                return ((VALUE_OF, given.get(0)),)
            case "TypeVar":
                first = walker.text(args).partition(",")[0].strip("(\"')")
                return ((TYPE_PARAMETER, first, given.get("bound")),)
        factory = given.get("default_factory") or given.get("factory")
        return (given.get("default") or (CALL, factory or callee, (given.get(0),)),)

    # --- types

    def generic(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """`A[B, C]` as a type."""
        children = plain_children(node)
        if node.type == "generic_type" and len(children) == 2:
            children = [children[0], *children[1].named_children]
        base = walker.type_term(children[0])
        word = walker.text(children[0]).rpartition(".")[2]
        if word == "Literal" or base is None:
            return None
        terms = [walker.type_term(one) for one in children[1:]]
        if walker.text(children[-1]) == "()":  # tuple[()] has no type arguments
            return base
        return (GENERIC, base, tuple(terms))

    def quoted(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """A type in quotes."""
        text = _QUOTES.sub("", walker.text(node))
        root = _parser().parse(text.encode()).root_node if _TYPE_LIKE.match(text) else None
        if root is None or root.has_error:
            return None
        before = walker.source, walker.anchor
        walker.source, walker.anchor = text.encode(), walker.anchor or node
        term = walker.type_term(root)
        walker.source, walker.anchor = before
        return term

    # --- modules

    def begin_linking(self, resolver: Resolver) -> None:
        self.modules = Modules(resolver.units.values())
        for path, unit in resolver.units.items():
            unit.name = self.modules.names[path] or "__init__"

    def imported(
        self, resolver: Resolver, unit: Unit, path: str, member: str | None
    ) -> Value | None:
        key = ("import", unit.path, path, member)
        if key not in resolver.memo:
            resolver.memo[key] = None
            resolver.memo[key] = self._imported(resolver, unit, path, member)
        return resolver.memo[key]

    def _imported(
        self, resolver: Resolver, unit: Unit, path: str, member: str | None
    ) -> Value | None:
        targets = self.modules.find(path, unit.path)
        if not targets:
            name = self.modules.absolute(path, unit.path)
            return (OUTSIDE, f"{name}.{member}" if member else name)
        if member is None:
            return union([(MODULE, target) for target in targets])
        # a package that imports its own module does not mean the name that this binds
        return union(
            [
                (target == unit.path and self.missing_member(resolver, target, member))
                or resolver.module_member(target, member)
                for target in targets
            ]
        )

    def imported_ends(self, resolver: Resolver, unit: Unit, path: str, member: str) -> list[Unit]:
        targets = self.modules.find(path, unit.path)
        value = self.imported(resolver, unit, path, member) if member and targets else None
        below = [part[1] for part in parts(value) if part[0] == MODULE]
        return [resolver.units[name] for name in below or targets if name in resolver.units]

    def outside_path(self, resolver: Resolver, unit: Unit, path: str, member: str) -> str:
        return self.modules.absolute(path, unit.path)

    def exported(self, resolver: Resolver, module: str, name: str) -> list[FoundBinding]:
        if found := resolver.modules.get(module, {}).get(name):
            return [(found[0][0], one) for one in reaching([binding for _, binding in found], END)]
        key = ("exported", module, name)
        unit = resolver.units.get(module)
        if unit is None or not unit.stars or key in resolver.busy:
            return []
        resolver.busy.add(key)
        found = resolver.starred(unit, name)
        resolver.busy.discard(key)
        return found

    def starred(self, resolver: Resolver, module: str, name: str) -> list[FoundBinding]:
        """Respect `__all__`, and names that begin with an underscore."""
        unit = resolver.units.get(module)
        listed = unit.detail if unit is not None else None
        if name not in listed if listed is not None else name.startswith("_"):
            return []
        return self.exported(resolver, module, name)

    def missing_member(self, resolver: Resolver, module: str, name: str) -> Value | None:
        below = self.modules.below(module, name)
        return (MODULE, below) if below is not None else None

    def is_native(self, name: str) -> bool:
        return name.partition(".")[0] in _NATIVE

    # --- types

    def base_relations(
        self, relation: str, symbol: CodeSymbol, target: "Target"
    ) -> tuple[str, ...]:
        is_interface = target.symbol is not None and target.symbol.kind == "interface"
        return ("extends", "implements")[: 1 + is_interface]

    def is_generic(self, symbol: CodeSymbol) -> bool:
        return symbol.result is not None and bool(symbol.parameters)

    # --- evaluation

    def evaluate(self, resolver: Resolver, term: Term, place: Place) -> Value | None:
        if term[0] == COMPREHENSION:
            return resolver.evaluate(term[2], Place(place.unit, term[1], END, place.env))
        values = parts(resolver.evaluate(term[1], place)) if term[0] == ENTER else ()
        return union(self._entered(resolver, value) for value in values)

    @staticmethod
    def _entered(resolver: Resolver, value: Value) -> Value | None:
        """Return what `with` binds."""
        if value[0] != INSTANCE:
            return resolver.element(value) if value[0] == LIST else value
        methods = (resolver.member(value, name) for name in ("__enter__", "__aenter__"))
        return next(filter(None, map(resolver.result, methods)), value)

    def outside_result(
        self,
        resolver: Resolver,
        value: Value,
        arguments: tuple[Term | None, ...],
        place: Place | None,
    ) -> Value | None:
        """Return what calling something of the library gives: as the data file tells, or an object.

        The name of a class makes an object."""
        name, last = value[1], value[1].rpartition(".")[2]
        is_class = last[:1].isupper() and not last.isupper() and name not in _KNOWN["builtins"]
        meaning = _RESULTS.get(".".join(name.rsplit(".", 2)[-2:]))
        if meaning is None:
            return (OUTSIDE_INSTANCE, name, ()) if is_class or name in _KNOWN["classes"] else None
        given = resolver.evaluate(arguments[0], place) if arguments and place else None
        element = union([resolver.element(one) for one in parts(given)])
        made = {
            "same": given, "item": element, "list": (LIST, element), "map": (MAP, None, None),
            "pairs": (LIST, (TUPLE, ((OUTSIDE_INSTANCE, "int", ()), element))),
        }  # fmt: skip
        return made.get(meaning, (OUTSIDE_INSTANCE, meaning, ()))

    def container_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        if value[0] == MAP:
            pair: Value = (TUPLE, value[1:3])
            given = {
                "get": value[2], "pop": value[2], "setdefault": value[2], "popitem": pair,
                "values": (LIST, value[2]), "keys": (LIST, value[1]), "items": (LIST, pair),
            }  # fmt: skip
            return (CALLABLE, given.get(name), (), f"dict.{name}")
        if value[0] == LIST and name in ("pop", "popleft", "__next__", "send", "get", "result"):
            return (CALLABLE, value[1], (), f"list.{name}")
        return (OUTSIDE, f"{value[0]}.{name}")


# --- modules

_SUFFIXES = (".py", ".pyi", ".pyw")
_SRC = re.compile(r"(?:^|(?<=/))src/")
_INIT = ("__init__.py", "__init__.pyi")


class Modules:
    """Which dotted name a file goes by, and which file an import names."""

    def __init__(self, units: Iterable[Unit]) -> None:
        paths = {unit.path: unit for unit in units}
        self.files = frozenset(paths)
        self.folders = {
            str(folder) for path in paths for folder in PurePosixPath(path).parents if folder.name
        }
        # folders by their path from the top or from a folder `src`
        self.spaces = grouped(
            (space, folder)
            for folder in sorted(self.folders)
            for space in {folder, *(folder[found.end() :] for found in _SRC.finditer(folder))}
        )
        self.asked = {
            ".".join(words[:end])
            for unit in paths.values()
            for path, _, _ in unit.imports
            if not path.startswith(".")
            for words in [path.split(".")]
            for end in range(1, len(words) + 1)
        }
        self.names: dict[str, str] = {}
        self.index: dict[str, list[str]] = {}
        for path in sorted(paths):
            self._add(path)

    def _add(self, path: str) -> None:
        folders, stem = path.split("/")[:-1], path.rsplit("/", maxsplit=1)[-1].rsplit(".", 1)[0]
        top = len(folders)
        while top > 0 and self._is_package("/".join(folders[:top])):
            top -= 1
        start = max((at + 1 for at, one in enumerate(folders[:top]) if one == "src"), default=0)
        tail = [] if stem == "__init__" else [stem]
        chain, full = [*folders[top:], *tail], [*folders[start:], *tail]
        spaced = ".".join(folders[start : top + 1])  # the package below its namespaces
        name = ".".join(chain if top < len(folders) and spaced not in self.asked else full)
        self.names[path] = name
        for one in sorted({name, ".".join(chain) if top < len(folders) else name, ".".join(full)}):
            self.index.setdefault(one, []).append(path)

    def _is_package(self, folder: str) -> bool:
        return any(f"{folder}/{one}" in self.files for one in _INIT)

    def in_folder(self, folder: str, name: str) -> str | None:
        """Return the file, or the folder that is a namespace, of a module below a folder."""
        base = "/".join(part for part in (folder, *name.split(".")) if part)
        inits = [f"{base}/{init}" if base else init for init in _INIT]
        paths = [*inits, *(base + suffix for suffix in _SUFFIXES)]
        namespace = base if name and base in self.folders else None
        return next((path for path in paths if path in self.files), namespace)

    def find(self, name: str, importer: str) -> list[str]:
        """Return the files or folders that an import from a file names, in the project."""
        folder, name = dirname(importer), self.absolute(name, importer)
        if paths := self.index.get(name, []):
            return _nearest(paths, importer)
        if name.partition(".")[0] in _KNOWN["modules"]:
            return []
        beside = None if self._is_package(folder) else self.in_folder(folder, name)
        if beside is not None and beside in self.files:
            return [beside]
        return self.spaces.get(name.replace(".", "/"), [])

    def below(self, path: str, name: str) -> str | None:
        """Return the submodule of a package, given its __init__ file or its folder."""
        if path in self.files:
            return self.in_folder(dirname(path), name) if path.rsplit("/", 1)[-1] in _INIT else None
        return self.in_folder(path, name)

    def absolute(self, name: str, importer: str) -> str:
        """Return the absolute name of an import."""
        if not name.startswith("."):
            return name
        plain = name.lstrip(".")
        words = self.names[importer].split(".")
        ups = len(name) - len(plain) - (1 if importer.rsplit("/", 1)[-1] in _INIT else 0)
        return ".".join(word for word in (*words[: max(len(words) - ups, 0)], plain) if word)


def _nearest(paths: list[str], importer: str) -> list[str]:
    """Return the files that share most of their path with the importer."""
    shared = {path: len(commonprefix([path, importer])) for path in paths}
    near = [path for path in paths if shared[path] == max(shared.values())]
    return [path for path in near if not path.endswith(".pyi")] or near


# --- the language

# `/ *` and the like as a line of its own: at the end of the file the parser's recovery takes memory
# by the square of their number
_STRAY = re.compile(rb"[/%&|^](?:[\s\\]|#[^\n]*\n)*\*(?!\*)[ \t\r\f]*(?=[\n#/%&|^]|\Z)")
_MAX_STRAY = 400  # some 100 MB


def _refuse(source: bytes) -> str:
    found = sum(1 for _ in islice(_STRAY.finditer(source), _MAX_STRAY + 1))
    return (
        f"has more than {_MAX_STRAY} lines with nothing but operators, which the parser "
        "cannot cope with" * (found > _MAX_STRAY)
    )


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_python.language()))


LANGUAGE = language(
    PythonRules(),
    name="python",
    grammar=lambda _path: tree_sitter_python.language(),
    package="tree-sitter-python",
    version=8,
    refuse=_refuse,
)
