"""Java: how symbols are named, and what is known of its library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import tree_sitter_java

from ghostmem.outline.bodies import UNKNOWN
from ghostmem.outline.extract import extract
from ghostmem.outline.facts import FILE, Binding, Facts, Symbol, Term
from ghostmem.outline.graph import FORWARD, Linked
from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.shared.syntax import short, text_of
from ghostmem.outline.resolve.infer import TypeInference
from ghostmem.outline.resolve.link import GraphLinker
from ghostmem.outline.resolve.names import Library
from ghostmem.outline.resolve.types import Type, outside
from ghostmem.outline.rules import IMPORT, PACKAGE, SCOPE, STAR, Rules, packages_in

if TYPE_CHECKING:
    from tree_sitter import Node

    from ghostmem.outline.bodies import Bodies

NAMES = {"type_identifier", "scoped_type_identifier", "identifier", "scoped_identifier"}
PRIMITIVES = {"integral_type", "floating_point_type", "boolean_type", "void_type"}
NATIVE = ("java.", "javax.", "jdk.")
ROOTS = {"java", "javax", "jdk", "org", "com", "net", "io"}
# of a collection, an optional, a stream: methods that give an element, the same again, or give
# their callback an element
ELEMENT = frozenset(
    "get getFirst getLast first last next previous orElse orElseThrow orElseGet poll peek pop "
    "remove element take pollFirst pollLast head iterator_next findOne".split()
)
SAME = frozenset(
    "stream parallelStream filter sorted distinct limit skip iterator listIterator subList "
    "findFirst findAny toList peek_stream or reversed spliterator".split()
)
EACH = frozenset(
    "forEach filter map flatMap anyMatch allMatch noneMatch removeIf ifPresent ifPresentOrElse "
    "mapToInt mapToLong mapToDouble mapToObj peek takeWhile dropWhile forEachOrdered".split()
)
MAP_VALUE = frozenset(
    "get getOrDefault put remove computeIfAbsent putIfAbsent getValue merge compute".split()
)
NAMES_OF_CLASSES = frozenset("getName getSimpleName getTypeName getCanonicalName".split())
TEXT = frozenset("trim substring toLowerCase toUpperCase replace concat strip repeat".split())
OTHER = {
    "stream": "java.util.stream.Stream",
    "findFirst": "java.util.Optional",
    "findAny": "java.util.Optional",
    "iterator": "java.util.Iterator",
}
STRING, CLASS = "java.lang.String", "java.lang.Class"
_OF_CLASSES = ("Type", "GenericDeclaration", "AnnotatedElement")  # interfaces
_NUMBERS = ("byte", "short", "int", "long", "float", "double")  # each can be passed for later ones
BOXES = {
    "boolean": "java.lang.Boolean",
    "char": "java.lang.Character",
    "int": "java.lang.Integer",
    **{name: f"java.lang.{name.capitalize()}" for name in _NUMBERS if name != "int"},
}
# interfaces of texts, of classes, and of the classes of primitive types
_EVERY = frozenset(
    "java.lang.Comparable java.io.Serializable java.lang.constant.Constable "
    "java.lang.constant.ConstantDesc".split()
)


def _term(bodies: Bodies, node: Node, scope: int, depth: int) -> Term | None:
    """Return a type as written, None when nothing is known of it, as with `var`."""
    if node.type in NAMES:
        name = _compact(node)
        return Term("named", name, scope) if name != "var" else None
    if node.type in PRIMITIVES:
        return Term("primitive", text_of(node), scope)
    children = node.named_children
    match node.type:
        case "generic_type" if children:
            given = next((one for one in children if one.type == "type_arguments"), None)
            parts = given.named_children if given is not None else []
            args = tuple(bodies.term(one, scope, depth) for one in parts)
            return Term("named", _compact(children[0]), scope, args)
        case "array_type":
            inner = bodies.term(node.child_by_field_name("element"), scope, depth)
            return Term("array", "", scope, (inner,))
        case "annotated_type" | "wildcard" if children:
            found = bodies.term(children[-1], scope, depth)
            lower = any(one.type == "super" for one in children)
            known = found != UNKNOWN and not lower
            return bodies.extraction.facts.terms[found] if known else None
    return None


def _compact(node: Node) -> str:
    return "".join(short(node, 200).split())


def _complete(facts: Facts) -> None:
    """Set the package, kinds that depend on modifiers, and names with parameter types."""
    packages = [one.name for one in facts.scopes if one.kind == "package" and one.name]
    facts.package = packages[0].replace(" ", "") if packages else ""
    parameters: dict[int, list[Binding]] = {}
    for binding in facts.bindings:
        if binding.kind == "parameter":
            parameters.setdefault(binding.scope, []).append(binding)
    for number, one in enumerate(facts.symbols):
        parent = facts.symbols[one.parent] if one.parent != FILE else None
        before, label = parent.full if parent is not None else facts.package, one.name
        if one.kind == "method":
            one, label = _method(facts, one, parameters.get(one.inner, []))
        elif one.kind in ("field", "constant"):
            one = _field(one, parent)
        facts.symbols[number] = one._replace(full=f"{before}.{label}" if before else label)


def _field(one: Symbol, parent: Symbol | None) -> Symbol:
    flags = {*one.flags}
    if one.kind == "constant" or (parent is not None and parent.kind == "interface"):
        flags |= {"static", "final"}
    kind = "constant" if {"static", "final"} <= flags else "field"
    return one._replace(kind=kind, flags=tuple(sorted(flags)))


def _method(facts: Facts, one: Symbol, parameters: list[Binding]) -> tuple[Symbol, str]:
    """Return a method with its flags, and its name with the types of its parameters."""
    if "compact" in one.flags:
        fields = (held for held in facts.symbols if held.parent == one.parent)
        terms = [held.term for held in fields if "component" in held.flags]
    else:
        terms = [binding.term for binding in parameters]
    types = [_shown(facts, term) for term in terms]
    if any("array" in binding.flags for binding in parameters):
        one = one._replace(flags=(*one.flags, "variadic"))
        types[-1] += "..."
    return one, f"{one.name}({', '.join(types)})"


def _shown(facts: Facts, number: int) -> str:
    """Return a parameter's type as it is shown: without its package and its arguments."""
    if number < 0:
        return "?"
    term = facts.terms[number]
    if term.sort == "array":
        return _shown(facts, term.parts[0]) + "[]"
    return term.name.rpartition(".")[2]


def _result(kind: Type, name: str, returned: Callable[[], Type | None]) -> Type | None:
    """Return what calling a method of the library gives."""
    if kind.name == STRING:
        return kind if name in TEXT else None
    if kind.name == CLASS:
        return outside(STRING) if name in NAMES_OF_CLASSES else None
    if kind.name == "java.lang.StringBuilder":
        if name == "toString":
            return outside(STRING)
        return kind if name in {"append", "insert", "reverse"} else None
    if len(kind.args) == 2 and kind.name.startswith(NATIVE):
        return _of_map(*kind.args, name)
    if len(kind.args) == 1 and kind.name.startswith(NATIVE):
        return _of_collection(kind, name, returned)
    return outside(STRING) if name == "toString" else None


def _of_map(key: Type | None, value: Type | None, name: str) -> Type | None:
    if name in MAP_VALUE:
        return value
    many = {"values": value, "keySet": key, "entrySet": outside("java.util.Map.Entry", key, value)}
    if name in many:
        return outside("java.util.Collection", many[name])
    return key if name == "getKey" else None


def _of_collection(kind: Type, name: str, returned: Callable[[], Type | None]) -> Type | None:
    inner = kind.args[0]
    if name in {"map", "flatMap"}:
        made = returned()
        return outside(kind.name, made) if name == "map" and made is not None else made
    if name in SAME:
        return outside(OTHER.get(name, kind.name), inner)
    return inner if name in ELEMENT else None


def _passes(kind: Type, name: str, place: int) -> Type | None:
    """Return what a method of the library passes to the function that it is given."""
    if not kind.name.startswith(NATIVE):
        return None
    if len(kind.args) == 1 and name in EACH and place == 0:
        return kind.args[0]
    return kind.args[place] if len(kind.args) == 2 and name == "forEach" and place < 2 else None


def link(files: Mapping[str, Facts]) -> Linked:
    """Return the graph of a project's files."""
    inference = TypeInference({path: files[path] for path in sorted(files)}, LIBRARY)
    return GraphLinker(inference, ROOTS).run()


LIBRARY = Library(
    is_native=lambda name: name.startswith(NATIVE),
    packages=packages_in("java.txt"),
    implicit="java.lang",
    top="java.lang.Object",
    top_members=frozenset(
        "clone equals finalize getClass hashCode notify notifyAll toString wait".split()
    ),
    enum="java.lang.Enum",
    enum_members=frozenset("values valueOf name ordinal compareTo getDeclaringClass".split()),
    text=STRING,
    results={
        **{f"{STRING}.{name}": STRING for name in ("valueOf", "format", "join")},
        "java.lang.Object.toString": STRING,
        "java.lang.Object.getClass": CLASS,
    },
    boxes=BOXES,
    widened={name: frozenset(_NUMBERS[:at]) for at, name in enumerate(_NUMBERS)}
    | {name: frozenset(["char", *_NUMBERS[: _NUMBERS.index(name)]]) for name in _NUMBERS[2:]},
    array_bases=frozenset(["java.lang.Cloneable", "java.io.Serializable"]),
    final={
        **{
            box: _EVERY | ({"java.lang.Number"} if name in _NUMBERS else set())
            for name, box in BOXES.items()
        },
        STRING: _EVERY | {"java.lang.CharSequence"},
        CLASS: _EVERY | {f"java.lang.reflect.{name}" for name in _OF_CLASSES},
    },
    functions="java.util.function.",
    result=_result,
    passes=_passes,
)
RULES = Rules(
    name="java",
    grammar=tree_sitter_java.language,
    kinds=FORWARD,
    order=(SCOPE, IMPORT, PACKAGE, STAR),
    term=_term,
    complete=_complete,
)
LANGUAGE = Language(
    name="java",
    suffixes=(".java",),
    grammar=lambda _path: tree_sitter_java.language(),
    package="tree-sitter-java",
    version=5,
    extract=lambda root, source, _path: extract(RULES, root, source),
    link=lambda files, _read: link(files),
)
