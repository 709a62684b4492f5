"""Java: the table of its grammar, its names, its overloads, and what is known of its library."""

import re
from functools import cache

import tree_sitter_java
from tree_sitter import Node

from ghostmem.outline.engine.extract import UNLIMITED, Walker
from ghostmem.outline.engine.facts import (
    B_SYMBOL,
    CLASS,
    FILE,
    NO_SYMBOL,
    CodeSymbol,
    FoundBinding,
    Unit,
)
from ghostmem.outline.engine.language import Rules, language
from ghostmem.outline.engine.link import Target
from ghostmem.outline.engine.resolve import Place, Resolver, library_result
from ghostmem.outline.engine.table import Form, groups_of, read_table, words_of
from ghostmem.outline.engine.terms import (
    BASES,
    CALLABLE,
    FUNCTION,
    IMPORT,
    INSTANCE,
    LAMBDA,
    LIST,
    LIST_TYPE,
    LITERAL,
    MEMBER,
    MODULE,
    OUTSIDE,
    OUTSIDE_INSTANCE,
    SYMBOL,
    THIS,
    TYPE,
    UNION,
    VALUE_OF,
    Term,
    Value,
)

TABLE = read_table("""
package_declaration          hook fn=package
import_declaration           hook fn=import_declaration
class_declaration,enum_declaration type name=name body=body type_params=type_parameters
record_declaration           type name=name body=body type_params=type_parameters
interface_declaration        type name=name body=body type_params=type_parameters kind=interface
annotation_type_declaration  type name=name body=body kind=interface
enum_constant                hook fn=enum_constant
method_declaration           func name=name params=parameters result=type body=body \
    type_params=type_parameters
annotation_type_element_declaration func name=name result=type body=value
constructor_declaration      func name=name params=parameters body=body \
    type_params=type_parameters named=<init>
compact_constructor_declaration func name=name body=body named=<init>
field_declaration,constant_declaration,local_variable_declaration hook fn=variables
formal_parameter             param name=name type=type
spread_parameter             param name=-1 type=-2 many
resource                     bind name=name type=type value=value
catch_formal_parameter       param name=name type=-2
catch_type                   uniontype
instanceof_expression        hook fn=instanceof
type_pattern,record_pattern_component param name=-1 type=-2
record_pattern,switch_label,labeled_statement hook fn=without_names
break_statement,continue_statement skip
enhanced_for_statement       range left=name right=value body=body type=type
lambda_expression            lambda params=parameters body=body
method_reference             member of=0 name=1 method
block,constructor_body,static_initializer block
for_statement,switch_block,switch_rule,try_with_resources_statement,catch_clause block
return_statement             return
assignment_expression        assign left=left right=right read
update_expression            assign left=0 read
identifier,type_identifier   name
field_access                 member of=object name=field
scoped_type_identifier,scoped_identifier member of=0 name=-1
method_invocation            call callee=name of=object args=arguments type_args=type_arguments bare
explicit_constructor_invocation call callee=constructor args=arguments
object_creation_expression   new type=type args=arguments body=-1 typed
array_creation_expression    hook fn=array_creation
cast_expression              cast type=type of=value
array_access                 index of=array
parenthesized_expression     same of=0
ternary_expression           either test=condition
binary_expression            either
unary_expression             same of=operand
class_literal                literal is=java.lang.Class walked
this                         this
super                        super
string_literal               literal is=java.lang.String
character_literal            literal is=char
true,false                   literal is=boolean
null_literal                 literal is=null
decimal_integer_literal,hex_integer_literal,octal_integer_literal literal is=int
binary_integer_literal       literal is=int
decimal_floating_point_literal,hex_floating_point_literal literal is=double
array_initializer            list
element_value_pair           same of=value only
generic_type                 generic of=0 flat
array_type                   listtype of=element
annotated_type,wildcard      same of=-1
integral_type,floating_point_type,boolean_type primitive
void_type                    notype
type_parameter               typeparam bound=1
type_bound                   same of=0
line_comment,block_comment,module_declaration skip
superclass,super_interfaces,extends_interfaces,type_parameters skip
""")

OWN_CONSTRUCTOR: Term = (MEMBER, (THIS,), "<init>()")
NATIVE = ("java.", "javax.", "jdk.")
# where names of packages begin; `var` is no type, and nothing unresolved
ROOTS = frozenset("java javax jdk org com net io var".split())
PACKAGES = words_of("java.txt")
OBJECT, STRING, CLASS_TYPE = "java.lang.Object", "java.lang.String", "java.lang.Class"
OBJECT_MEMBERS = frozenset(
    "clone equals finalize getClass hashCode notify notifyAll toString wait".split()
)
PRIMITIVES = frozenset("byte short int long float double char boolean".split())
BOXES = {
    **{name: f"java.lang.{name.capitalize()}" for name in PRIMITIVES},
    "int": "java.lang.Integer",
    "char": "java.lang.Character",
}
UNBOXED = {box: name for name, box in BOXES.items()}
RESULTS = {group: groups_of("java.txt", group) for group in ("collection", "map", "method")}
EACH_METHODS = groups_of("java.txt", "each")  # methods that give their callback an element
SUPERTYPES = words_of("java_types.txt")  # direct ones, of types of the library
CLOSED = PRIMITIVES | {STRING, CLASS_TYPE, OBJECT, *UNBOXED}  # nothing of the project is one
ARRAY_BASES = ("java.lang.Cloneable", "java.io.Serializable")
UNSURE, MANY, IMPOSSIBLE = -1, 1_000, 1_000_000  # costs of an argument, of any number of them
NOT_SHOWN = re.compile(  # of a type: arguments, annotations, the package
    r"<.*>|@[\w.]+(?:\([^)]*\))?\s*|\w+\s*\.\s*(?=[\w@])", re.DOTALL
)
MAX_OVERLOADS = 30  # methods of one name that are compared; more exist only in generated code


class Java(Rules):
    """The rules of Java."""

    forms = TABLE
    constructor, call_suffix = "<init>", "()"
    default_bound = (LITERAL, OBJECT)
    shows_first_line = members_visible = bases_inside = has_overloads = merges_modules = True

    # --- extraction

    def package(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """The package of the file."""
        walker.unit.package = "".join(walker.text(node.named_children[-1]).split())

    def import_declaration(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """An import of a type, of a static member, or of everything."""
        path = next(child for child in node.named_children if "identifier" in child.type)
        name = "".join(walker.text(path).split())
        head, _, last = name.rpartition(".")
        words = {child.type for child in node.children}
        is_static, is_star = "static" in words, "asterisk" in words
        walker.import_path(head if is_static and not is_star else name, node)
        if is_star:
            walker.unit.stars.append(name)
            return
        for key in (last, f"{last}()") if is_static else (last,):
            walker.bind(key, 0, None, (IMPORT, head, key))

    def modifiers(self, walker: "Walker", node: "Node") -> set[str]:
        """Return the modifiers of a declaration; its annotations are visited."""
        listed = [child for child in node.named_children if child.type == "modifiers"]
        for child in listed:
            walker.visit_all(child)
        return {word.type for child in listed for word in child.children if not word.is_named}

    def function(self, walker: "Walker", symbol: CodeSymbol, node: "Node") -> None:
        """Note modifiers, and the types of parameters, which are part of the name."""
        with walker.owned_by(symbol):
            symbol.flags |= self.modifiers(walker, node)
            parameters = node.child_by_field_name("parameters")
            listed = parameters.named_children if parameters is not None else []
            types = [_shown_type(walker, child) for child in listed if not child.is_extra]
            if node.type == "compact_constructor_declaration":
                types = [walker.unit.symbols[symbol.parent].detail]
            symbol.detail = ", ".join(types)
            for child in listed:
                self.modifiers(walker, child)
            walker.type_term(
                next((child for child in node.named_children if child.type == "throws"), None)
            )

    def bases(self, walker: "Walker", symbol: CodeSymbol, node: "Node") -> None:
        """Note bases, type parameters, and the components of a record."""
        symbol.flags |= self.modifiers(walker, node) | {node.type.partition("_")[0]}
        for child in node.named_children:
            match child.type:
                case "superclass":
                    walker.base(symbol, "extends", child.named_children[0])
                case "super_interfaces" | "extends_interfaces":
                    relation = child.type.partition("_")[0].replace("super", "implements")
                    for base in child.named_children[0].named_children:
                        walker.base(symbol, relation, base)
                case "formal_parameters":
                    symbol.detail = ", ".join(
                        self.component(walker, component) for component in child.named_children
                    )

    def component(self, walker: "Walker", node: "Node") -> str:
        """A component of a record, a field and a method that returns it; return its type."""
        if (name := node.child_by_field_name("name")) is not None:
            type_term = walker.type_term(node.child_by_field_name("type"))
            symbol = walker.define(node, walker.text(name), "field", "accessor")
            walker.bind(symbol.name, node.start_byte, type_term, None, symbol.number)
            value: Term = (LAMBDA, (VALUE_OF, type_term))
            walker.bind(f"{symbol.name}()", node.start_byte, None, value, symbol.number)
        return _shown_type(walker, node)

    def enum_constant(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """A constant of an enum, which calls its constructor if it has arguments."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        enum: Term = (SYMBOL, walker.unit.scopes[walker.scope].symbol)
        if (arguments := node.child_by_field_name("arguments")) is not None:
            walker.refer("calls", OWN_CONSTRUCTOR, node, walker.arguments(arguments, None))
        symbol = walker.define(node, walker.text(name or node), "constant", "static")
        walker.bind(symbol.name, node.start_byte, enum, None, symbol.number)
        if body is not None:
            heir = walker.anonymous(body, enum)
            heir.parent, heir.bases = symbol.number, [("", *base[1:]) for base in heir.bases]

    def variables(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Fields, or local variables, of one type."""
        type_term = walker.type_term(node.child_by_field_name("type"))
        flags = self.modifiers(walker, node)
        around = walker.unit.scopes[walker.scope]
        if around.kind == CLASS and walker.unit.symbols[around.symbol].kind == "interface":
            flags |= {"static", "final"}
        kind = "constant" if {"static", "final"} <= flags else "field"
        declarators = node.children_by_field_name("declarator")
        for declarator in declarators:
            name, number = walker.text(declarator.named_children[0]), NO_SYMBOL
            if around.kind == CLASS:
                walker.flags = set(flags)
                number = walker.define(declarator if declarators[1:] else node, name, kind).number
            value = walker.visit(declarator.child_by_field_name("value"))
            walker.bind(name, declarator.start_byte, type_term, value, number)

    def instanceof(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """A test for a type, which may bind a name."""
        walker.visit(node.child_by_field_name("left"))
        walker.visit(node.child_by_field_name("pattern"))
        type_term = walker.type_term(node.child_by_field_name("right"))
        if (name := node.child_by_field_name("name")) is not None:
            walker.bind(walker.text(name), node.start_byte, type_term)

    def without_names(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Labels, constants of enums in switches: their names stand for nothing."""
        for child in node.named_children:
            if child.type != "identifier":
                walker.visit(child)

    def array_creation(self, walker: "Walker", node: "Node", _form: Form) -> Term:
        """`new A[n]`."""
        type_term = walker.type_term(node.child_by_field_name("type"))
        for child in node.named_children[1:]:
            walker.visit(child)
        return (VALUE_OF, (LIST_TYPE, type_term))

    # --- linking

    def begin_linking(self, resolver: Resolver) -> None:
        """Collect the packages of the project, and those around them."""
        paths = {unit.package for unit in resolver.units.values()}
        imports = (path for unit in resolver.units.values() for path, *_ in unit.imports)
        self.roots = ROOTS.union(path.partition(".")[0] for path in imports)
        self.prefixes = {
            ".".join(words[:count])
            for words in (path.split(".") for path in paths)
            for count in range(1, len(words) + 1)
        }

    def module(self, _resolver: Resolver, unit: Unit) -> str:
        return unit.package

    def module_step(self, unit: Unit, module: str, found: list[FoundBinding]) -> str:
        return "local" if all(other is unit for other, _ in found) else "package"

    def canonical(self, _resolver: Resolver, symbol: CodeSymbol) -> tuple[str, str]:
        """Return the name of a symbol; methods have the types of their parameters."""
        outer = symbol.unit.symbols[symbol.parent] if symbol.parent != FILE else None
        label = outer.name if outer is not None and symbol.name == "<init>" else symbol.name
        label = f"{label}({symbol.detail})" if symbol.kind == "method" else label
        around = outer.display if outer is not None else symbol.unit.package
        name = f"{around}.{label}" if around else label
        return name, name

    def imported(
        self, resolver: Resolver, _unit: Unit, path: str, member: str | None
    ) -> Value | None:
        """Return a package, a type, or a member of one."""
        first, *words = path.split(".") + ([member] if member else [])
        value: Value | None = (MODULE, first)
        for word in words:
            value = resolver.member(value, word) if value is not None else None
        return value or (OUTSIDE, ".".join([first, *words]).removesuffix("()"))

    def imported_ends(self, resolver: Resolver, unit: Unit, path: str, _member: str) -> list[Unit]:
        value = self.imported(resolver, unit, path, None)
        if value is not None and value[0] == TYPE:
            return [value[1].unit]
        return [
            other_unit for other_unit in resolver.units_of.get(path, ()) if other_unit is not unit
        ]

    def exported(self, resolver: Resolver, module: str, name: str) -> list[FoundBinding]:
        """Return the types of a package, which are not what its files import."""
        bindings = resolver.modules.get(module, {}).get(name, [])
        return [binding for binding in bindings if binding[1][B_SYMBOL] >= 0]

    def missing_member(self, _resolver: Resolver, module: str, name: str) -> Value | None:
        """Return a package in a package, or a type outside of the project."""
        path = f"{module}.{name}"
        if name.endswith("()") or (module in self.prefixes and path not in self.prefixes):
            return None
        return (OUTSIDE, path) if name[:1].isupper() else (MODULE, path)

    def implicit(self, resolver: Resolver, unit: Unit, name: str) -> Value | None:
        """Return a name of java.lang, of a package that is imported whole, or a package."""
        if name.endswith("()"):
            bare = name.removesuffix("()")
            return (OUTSIDE, f"{OBJECT}.{bare}", None) if bare in OBJECT_MEMBERS else None
        for path in (*unit.stars, "java.lang"):
            if name in PACKAGES.get(path, ()):
                return (OUTSIDE, f"{path}.{name}")
        return (MODULE, name) if name in self.prefixes or name in self.roots else None

    def is_native(self, name: str) -> bool:
        return name.startswith(NATIVE)

    def package_of(self, name: str) -> str:
        return name.rpartition(".")[0]

    def base_relations(self, relation: str, symbol: CodeSymbol, target: Target) -> tuple[str, ...]:
        """Return the kind of a base: an anonymous class may implement an interface."""
        is_interface = target.symbol is not None and target.symbol.kind == "interface"
        kind = "implements" if symbol.name == "(anonymous)" and is_interface else relation
        return (kind,) if relation else ()  # none of a constant with a body to its enum

    def outside_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member of a type outside, with the receiver."""
        bare = name.removesuffix("()")
        if value[1] == OBJECT and bare not in OBJECT_MEMBERS:
            return None
        member: Value = (OUTSIDE, f"{value[1]}.{bare}", value)
        return member if bare == name else (*member, name)

    def outside_kind(self, kind: str, value: Value) -> str:
        """Return the kind of a read: a type, which is no member, is used; a method is not read."""
        return {2: "uses", 3: kind}.get(len(value), "")

    def special_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        if name == "this":
            return (INSTANCE, value[1], ())
        bare = name.removesuffix("()")
        if bare == name or resolver.find(value, name):
            return None
        if bare == "<init>":
            bases = resolver.base_values(value[1]) if value[0] == BASES else [value]
            return resolver.type_of(bases[0]) if bases and bases[0] is not None else None
        is_plain = bare in OBJECT_MEMBERS and next(resolver.outside_bases(value[1]), value) is value
        return (OUTSIDE, f"{OBJECT}.{bare}", value) if is_plain else None

    # --- evaluation

    def outside_result(
        self,
        resolver: Resolver,
        value: Value,
        arguments: tuple[Term | None, ...],
        place: Place | None,
    ) -> Value | None:
        """Return what calling a method of the library gives."""
        if len(value) < 3:
            return None
        name, method = value[1], value[1].rpartition(".")[2]
        receiver = value[2] or (OUTSIDE_INSTANCE, OBJECT, ())
        meaning = RESULTS["method"].get(name) or RESULTS["method"].get(f"{OBJECT}.{method}")
        if types := _type_arguments(receiver):
            meaning = meaning or RESULTS["collection" if len(types) == 1 else "map"].get(method)
        argument = resolver.evaluate(arguments[0], place) if arguments and place else None
        return library_result(resolver, receiver, meaning, argument) if meaning else None

    def outside_parameter(self, _resolver: Resolver, value: Value, number: int) -> Value | None:
        """Return the function that a method of the library takes."""
        types = _type_arguments(value[2] if len(value) > 2 else None)
        method = value[1].rpartition(".")[2]
        is_each = method in EACH_METHODS if len(types) == 1 else method == "forEach"
        return (CALLABLE, None, types) if types and is_each else None

    def outside_element(self, value: Value) -> Value | None:
        element: Value | None = value[2][0] if len(value[2]) == 1 else None
        return element

    # --- overloads

    def overloads(
        self,
        resolver: Resolver,
        callees: list[Target],
        arguments: tuple[Term | None, ...],
        place: Place,
    ) -> list[Target]:
        """Return the methods that a call may mean.

        Of those that surely fit the closest one is meant, and others that perhaps fit. If nothing
        is certain, methods of the nearest type are meant."""
        methods = [(target, target.symbol) for target in callees if target.symbol is not None]
        if len(methods) < 2 or any(symbol.kind != "method" for _, symbol in methods):
            return callees
        fitting = [
            (target, symbol)
            for target, symbol in methods
            if symbol.min_arguments <= len(arguments) <= symbol.max_arguments
        ]
        if 1 < len(fitting) <= MAX_OVERLOADS:
            values = [resolver.evaluate(argument, place) for argument in arguments]
            costs = {symbol: _costs(resolver, symbol, values) for _, symbol in fitting}
            possible = [pair for pair in fitting if IMPOSSIBLE not in costs[pair[1]]]
            certain = [pair for pair in possible if UNSURE not in costs[pair[1]]]
            if certain:
                closest = min(certain, key=lambda pair: sum(costs[pair[1]]))
                return [pair[0] for pair in possible if pair is closest or pair not in certain]
            fitting = possible or fitting
        nearest = {(symbol.unit, symbol.parent) for _, symbol in fitting[:1]}
        return [target for target, symbol in fitting if (symbol.unit, symbol.parent) in nearest]


def _shown_type(walker: "Walker", node: "Node") -> str:
    """Return the type of a parameter as it is shown: without its package and its arguments."""
    written = [child for child in node.named_children if child.type != "modifiers"]
    dimensions = node.child_by_field_name("dimensions")
    more = (
        "..." if node.type == "spread_parameter" else walker.text(dimensions) if dimensions else ""
    )
    return NOT_SHOWN.sub("", walker.text(written[0]) + more) if written else "?"


def _costs(resolver: Resolver, symbol: CodeSymbol, values: list[Value | None]) -> list[int]:
    """Return how far the arguments of a call are from the parameters of a method."""
    names = symbol.unit.scopes[symbol.inner].names if symbol.inner >= 0 else {}
    wanted = [
        resolver.evaluate_binding(symbol.unit, names[name][0]) if name in names else None
        for name in symbol.parameters
    ]
    if symbol.max_arguments < UNLIMITED:
        return [_cost(resolver, *pair) for pair in zip(values, wanted, strict=False)]
    if len(values) == len(wanted) and 0 <= _cost(resolver, values[-1], wanted[-1]) < IMPOSSIBLE:
        return [_cost(resolver, *pair) for pair in zip(values, wanted, strict=True)]
    last = wanted[-1]
    element = last[1] if last is not None and last[0] == LIST else None
    wanted = wanted[:-1] + [element] * len(values)
    return [MANY, *(_cost(resolver, *pair) for pair in zip(values, wanted, strict=False))]


def _cost(resolver: Resolver, value: Value | None, wanted: Value | None) -> int:
    """Return how far a value is from a parameter: 0 if they have the same type."""
    if value is None or wanted is None or wanted[0] == UNION:
        return UNSURE
    if value[0] == UNION:
        return min(_cost(resolver, part, wanted) for part in value[1])
    if value[0] in (FUNCTION, CALLABLE) or value[1] == "null":
        refusing = PRIMITIVES if value[1] == "null" else CLOSED
        return IMPOSSIBLE if wanted[1] in refusing else UNSURE
    if value[0] == wanted[0] == LIST:
        cost = _cost(resolver, value[1], wanted[1])
        is_plain = not {part[1] for part in (value[1], wanted[1]) if part} & PRIMITIVES
        return cost if is_plain or cost == 0 else IMPOSSIBLE
    types, is_complete = _passed_for(resolver, value)
    if wanted[0] != LIST and wanted[1] in types:
        return types.index(wanted[1])
    return IMPOSSIBLE if is_complete or wanted[0] == LIST or wanted[1] in CLOSED else UNSURE


def _passed_for(resolver: Resolver, value: Value) -> tuple[list[object], bool]:
    """Return the types that a value can be passed for, the closest first; and if these are all."""
    if value[0] not in (INSTANCE, OUTSIDE_INSTANCE):
        return [*ARRAY_BASES, OBJECT], value[0] == LIST
    if value[0] == OUTSIDE_INSTANCE:
        name: str = value[1]
        box = BOXES.get(name, name)
        boxed, primitive = (box, *_supertypes(box)), UNBOXED.get(box)
        numbers = (primitive, *_supertypes(primitive)) if primitive else ()
        names = [*numbers, *boxed] if name in PRIMITIVES else [*boxed, *numbers]
        return [*names, OBJECT], box in SUPERTYPES
    types = [base for base, _ in resolver.order(value[1])]
    return [*types, OBJECT], next(resolver.outside_bases(value[1]), value) is value


@cache
def _supertypes(name: str) -> tuple[str, ...]:
    """Return all types of the library that one of them extends, the closest first."""
    direct = sorted(SUPERTYPES.get(name, ()))
    return (*direct, *(above for base in direct for above in _supertypes(base)))


def _type_arguments(receiver: Value | None) -> tuple[Value | None, ...]:
    return receiver[2] if receiver is not None and receiver[0] == OUTSIDE_INSTANCE else ()


LANGUAGE = language(
    Java(),
    name="java",
    grammar=lambda _path: tree_sitter_java.language(),
    package="tree-sitter-java",
    version=10,
)
