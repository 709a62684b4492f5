"""Rust: impl blocks attach members to their types, and patterns take values apart."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import tree_sitter_rust

from ghostmem.outline.engine.facts import (
    BLOCK,
    CLASS,
    MODULE_SCOPE,
    NO_SYMBOL,
    CodeSymbol,
)
from ghostmem.outline.engine.language import language
from ghostmem.outline.engine.table import Form, form, read_table
from ghostmem.outline.engine.terms import (
    ELEMENT,
    GENERIC,
    IMPORT,
    LIST_OF,
    MEMBER,
    NAME,
    OWN_TYPE,
    PART,
    SYMBOL,
    THIS,
    TYPE_PARAMETER,
    VALUE_OF,
    Term,
    either,
)
from ghostmem.outline.languages.rust_names import (
    ANCHOR,
    BOUND,
    FILE_MODULE,
    PATTERN_PART,
    TRY,
    RustNames,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from ghostmem.outline.engine.extract import Walker

TABLE = """
mod_item                     hook fn=module_item
use_declaration              hook fn=use
extern_crate_declaration     hook fn=extern_crate
function_item,function_signature_item hook fn=function_item
struct_item,union_item,enum_item,trait_item hook fn=type_item
type_item                    hook fn=alias
associated_type              hook type_fn=bounds
impl_item                    hook fn=impl
const_item,static_item       hook fn=constant
enum_variant                 hook fn=variant
field_declaration            hook fn=field
ordered_field_declaration_list hook fn=numbered_fields
macro_definition             hook fn=macro
macro_invocation             hook fn=macro_call type_fn=macro_call
parameter                    param name=pattern type=type
self_parameter               hook fn=bind_self
type_parameter               typeparam bound=bounds
const_parameter              param name=name type=type
where_predicate              hook fn=where
let_declaration,let_condition hook fn=let
if_expression,while_expression hook fn=branches
match_expression             hook fn=match
for_expression               range left=pattern right=value body=body
closure_expression           lambda params=parameters result=return_type body=body
block                        hook fn=block
unsafe_block,const_block,async_block same of=0
return_expression            return
identifier,self              name
scoped_identifier            hook fn=path
field_expression             member of=value name=field
call_expression              call callee=function args=arguments
generic_function             hook fn=generic_function
struct_expression            hook fn=struct
try_expression               hook fn=try_
index_expression             hook fn=index of=0
reference_expression         same of=value
await_expression,unary_expression,parenthesized_expression same of=0
array_expression             list
tuple_expression             tuple
type_cast_expression         cast type=type of=value
assignment_expression,compound_assignment_expr hook fn=assignment
string_literal,raw_string_literal literal is=str
char_literal                 literal is=char
boolean_literal              literal is=bool
type_identifier              name
scoped_type_identifier       hook fn=path type_fn=type_path
generic_type,generic_type_with_turbofish hook type_fn=generic_type
primitive_type               primitive
reference_type,pointer_type  same of=type
array_type                   listtype of=element
tuple_type                   tupletype
dynamic_type,abstract_type   same of=trait
bounded_type,trait_bounds,higher_ranked_trait_bound hook type_fn=bounds
function_type                hook type_fn=function_type
type_binding                 same of=type
attribute_item,inner_attribute_item,visibility_modifier,lifetime,label,line_comment skip
block_comment,token_tree,lifetime_parameter,extern_modifier,shorthand_field_identifier skip
"""
_FUNCTION = form(
    "func name=name params=parameters result=return_type body=body type_params=type_parameters"
)
_TYPE = form("type name=name body=body type_params=type_parameters")
_STATEMENTS = {"expression_statement", "let_declaration", "empty_statement", "line_comment"}
_NAMES = {"identifier", "type_identifier", "self", "super", "crate", "primitive_type"}
_NAMES |= {"metavariable", "field_identifier"}
_PATHS = {"identifier", "scoped_identifier"}
_GENERIC = {"generic_type", "generic_type_with_turbofish"}
_ANCHORS = ("crate", "self", "super", "$crate")
_MAX_SIGNATURE = 160
_MAX_PATTERNS = 40  # patterns inside each other


class RustRules(RustNames):
    """The rules of Rust: how its syntax becomes facts."""

    forms = read_table(TABLE)

    def begin(self, walker: "Walker", root: "Node") -> None:
        """Prepare the walk over a file."""
        walker.unit.detail = {"files": [], "impls": [], "derives": [], "macros": 0}
        walker.state["inside"] = ""

    def signature(self, walker: "Walker", node: "Node") -> str:
        """Return the source of a declaration before its body."""
        body = None if node.type == "enum_variant" else node.child_by_field_name("body")
        return walker.head(node, body)[:_MAX_SIGNATURE].rstrip(" {;,=")

    # --- modules

    def module_item(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Declare a module, inline or in a file of its own."""
        name, body = walker.text(_field(node, "name")), node.child_by_field_name("body")
        inside = walker.state["inside"]
        if body is None:
            attributes = _attributes(walker, node)
            paths = [text.split('"')[1:2] for text in attributes if text.startswith("#[path")]
            path = next((path for quoted in paths for path in quoted), "")
            opens = any(text.startswith("#[macro_use") for text in attributes)
            row = (inside, name, path, opens, walker.line(node))
            walker.unit.detail["files"].append(row)
            walker.bind(name, node.start_byte, None, (FILE_MODULE, inside, name))
            return
        symbol = walker.declare(node, name, "module")
        walker.state["inside"] = f"{inside}{name}::"
        owner, function = walker.owner, walker.function
        with walker.inside(MODULE_SCOPE, symbol.number) as symbol.inner:
            walker.owner, walker.function = symbol.number, None
            walker.visit_all(body)
        walker.owner, walker.function = owner, function
        walker.state["inside"] = inside

    def use(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Bind every name that a use brings in."""
        inside = walker.state["inside"]
        for segments, alias, is_glob, part in _use_paths(walker, node):
            path, name = f"{inside}>{'::'.join(segments[:-1])}", segments[-1]
            if is_glob:
                path = f"{inside}>{'::'.join(segments)}"
                walker.unit.stars.append(path)
                walker.import_path(path, part)
                continue
            walker.import_path(path, part, name)
            term: Term = (IMPORT, path, name)
            if (alias or name) != "_":
                walker.bind(alias or name, node.start_byte, None, term)
                walker.bind(f"{alias or name}!", node.start_byte, None, (IMPORT, path, f"{name}!"))

    def extern_crate(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Bind an external crate."""
        name, alias = walker.text(_field(node, "name")), node.child_by_field_name("alias")
        walker.import_path("", node, name)
        bound = walker.text(alias) if alias is not None else name
        walker.bind(bound, node.start_byte, None, (IMPORT, ">", name))

    # --- items

    def function_item(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Declare a function; its where clause adds to its type parameters."""
        kind = "method" if walker.scope_kind == CLASS else "function"
        symbol = walker.declare(node, walker.text(_field(node, "name")), kind)
        walker.function_body(symbol, node, _FUNCTION)
        if symbol.parameters[:1] == ["self"]:
            del symbol.parameters[0]
        outer = walker.scope, walker.owner
        walker.scope, walker.owner = symbol.inner, symbol.number
        self._where(walker, node)
        walker.scope, walker.owner = outer

    def bind_self(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Bind `self`."""
        walker.bind("self", node.start_byte, None, (VALUE_OF, (NAME, "Self")))
        walker.receivers = {"self": (THIS, "self")}

    def where(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Add the bounds of a where clause to those of the type parameter."""
        left = node.child_by_field_name("left")
        bound = walker.type_term(node.child_by_field_name("bounds"))
        if left is None or left.type != "type_identifier" or bound is None:
            walker.type_term(left)
            return
        name = walker.text(left)
        known = walker.unit.scopes[walker.scope].names.get(name)
        before = known[-1][4] if known else None
        if known and before is not None and before[0] == TYPE_PARAMETER:
            both = either([before[2], bound])
            walker.bind(name, known[-1][0], None, (TYPE_PARAMETER, name, both))

    def type_item(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Declare a struct, union, enum or trait."""
        kind = "interface" if node.type == "trait_item" else "type"
        symbol = walker.declare(node, walker.text(_field(node, "name")), kind)
        if derives := _derives(walker, node):
            walker.unit.detail["derives"].append((symbol.number, derives))
            symbol.detail = derives
        body = node.child_by_field_name("body")
        is_tuple = body is not None and body.type == "ordered_field_declaration_list"
        walker.type_body(symbol, None if is_tuple else body, _TYPE, node)

    def bases(self, walker: "Walker", symbol: CodeSymbol, node: "Node") -> None:
        """Bind Self, and note the traits that a trait extends."""
        walker.bind("Self", node.start_byte, None, (TYPE_PARAMETER, "Self", (OWN_TYPE,)))
        self._where(walker, node)
        body, bounds = node.child_by_field_name("body"), node.child_by_field_name("bounds")
        if body is not None and body.type == "ordered_field_declaration_list":
            walker.visit(body)
        for bound in bounds.named_children if bounds is not None else ():
            if bound.type not in ("lifetime", "line_comment"):
                walker.base(symbol, "extends", bound)

    def alias(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Declare another name of a type."""
        symbol = walker.declare(node, walker.text(_field(node, "name")), "type")
        walker.type_body(symbol, None, form("type type=type type_params=type_parameters"), node)

    def impl(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Visit an impl block: its functions and constants are members of its type.

        An associated type is bound as `Self::Name`."""
        written, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
        body = node.child_by_field_name("body")
        count, first = len(walker.references), len(walker.unit.symbols)
        with walker.inside(BLOCK) as scope:
            walker.type_parameters(node.child_by_field_name("type_parameters"))
            self._where(walker, node)
            type_term, trait_term = walker.type_term(written), walker.type_term(trait)
            del walker.references[count:]  # an impl block is no node
            walker.bind("Self", node.start_byte, None, type_term)
            for item in body.named_children if body is not None else ():
                if item.type == "type_item":
                    name = f"Self::{walker.text(_field(item, 'name'))}"
                    term = walker.type_term(item.child_by_field_name("type"))
                    walker.bind(name, item.start_byte, None, term)
                else:
                    walker.visit(item)
            is_name = type_term is not None and type_term[0] == NAME
            if is_name and type_term and _is_type_parameter(walker, type_term[1]):
                type_term = None  # what is implemented for all types belongs to none
        names = [walker.text(part) if part is not None else "" for part in (written, trait)]
        bound = walker.unit.scopes[scope].names
        for symbol in walker.unit.symbols[first:]:
            if symbol.scope == scope:
                symbol.receiver, symbol.detail = type_term, (*names, trait_term)
                symbol.kind = "method" if symbol.kind == "function" else symbol.kind
                bound.pop(symbol.name, None)  # only its type has it
        row = (type_term, trait_term, scope, walker.line(node), node.start_byte, names)
        walker.unit.detail["impls"].append((*row, walker.owner))

    @staticmethod
    def _where(walker: "Walker", node: "Node") -> None:
        """Visit the where clause of a declaration."""
        for child in node.named_children:
            if child.type == "where_clause":
                walker.visit_all(child)

    def constant(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Declare a constant or static; its initial value belongs to the symbol around it."""
        kind = "constant" if node.type == "const_item" else "variable"
        name, owner = walker.text(_field(node, "name")), walker.owner
        symbol = walker.define(node, name, kind)
        with walker.owned_by(symbol):
            symbol.type = walker.type_term(node.child_by_field_name("type"))
        walker.bind(name, node.start_byte, symbol.type, None, symbol.number)
        if walker.scope_kind == CLASS:
            walker.owner = walker.unit.symbols[walker.owner].parent
        walker.visit(node.child_by_field_name("value"))
        walker.owner = owner

    def variant(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Declare a variant of an enum, whose value is of the enum."""
        enum = walker.unit.scopes[walker.scope].symbol
        symbol = walker.define(node, walker.text(_field(node, "name")), "field")
        symbol.flags.add("variant")
        term: Term = (SYMBOL, enum)
        walker.bind(symbol.name, node.start_byte, term, None, symbol.number)
        with walker.inside(CLASS, symbol.number) as symbol.inner:
            walker.visit(node.child_by_field_name("body"))
            walker.visit(node.child_by_field_name("value"))

    def field(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Declare a field of a struct."""
        self._field(walker, node, walker.text(_field(node, "name")), _field(node, "type"))

    def numbered_fields(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Declare the fields of a tuple struct by their numbers."""
        for number, part in enumerate(node.children_by_field_name("type")):
            self._field(walker, part, str(number), part)

    @staticmethod
    def _field(walker: "Walker", node: "Node", name: str, written: "Node") -> None:
        symbol = walker.define(node, name, "field")
        symbol.type = walker.type_term(written)
        walker.bind(name, node.start_byte, symbol.type, None, symbol.number)

    def macro(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Declare a macro under its name with an exclamation mark."""
        walker.declare(node, f"{walker.text(_field(node, 'name'))}!", "function")

    def macro_call(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Note the call of a macro; its arguments are not parsed."""
        macro = node.child_by_field_name("macro")
        if macro is not None:
            walker.unit.detail["macros"] += 1
            segments = path_of(walker, macro) or [walker.text(macro)]
            segments[-1] += "!"
            walker.refer("calls", path_term(segments), macro)

    # --- statements

    def block(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """Visit a block, and return the value that it ends with."""
        term: Term | None = None
        has_items = any(child.type.endswith(("_item", "_declaration")) for child in node.children)
        with walker.inside(BLOCK) if has_items else walker.in_lazy_block():
            for child in node.named_children:
                term = walker.visit(child)
                term = None if child.type in _STATEMENTS else term
        return term

    def let(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Bind a pattern to its value, also that of `if let` and `while let`."""
        value, pattern = node.child_by_field_name("value"), node.child_by_field_name("pattern")
        type_term = walker.type_term(node.child_by_field_name("type"))
        term = walker.visit(value)
        walker.visit(node.child_by_field_name("alternative"))
        if pattern is not None:
            self.bind_pattern(walker, pattern, term, type_term, node.end_byte)

    def branches(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """Keep the names that a condition binds out of the other branch."""
        with walker.in_lazy_block():
            walker.visit(node.child_by_field_name("condition"))
            term = walker.visit(
                node.child_by_field_name("consequence") or node.child_by_field_name("body")
            )
        alternative = node.child_by_field_name("alternative")
        if alternative is None:
            return term
        return either([term, *walker.visits(alternative)])

    def match(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """Bind the pattern of every arm to the matched value."""
        term = walker.visit(node.child_by_field_name("value"))
        body = node.child_by_field_name("body")
        terms = []
        for arm in body.named_children if body is not None else ():
            pattern = arm.child_by_field_name("pattern")
            if pattern is None:
                continue
            guard = pattern.child_by_field_name("condition")
            with walker.in_lazy_block():
                for inner in pattern.named_children[:1]:
                    if inner != guard:  # a pattern `_` is no node
                        self.bind_pattern(walker, inner, term, None, inner.end_byte)
                walker.visit(guard)
                terms.append(walker.visit(arm.child_by_field_name("value")))
        return either(terms)

    def assignment(self, walker: "Walker", node: "Node", _form: Form) -> None:
        """Note the write of a name or a path; a field belongs to no symbol."""
        left = node.child_by_field_name("left")
        term = walker.visit(left, quiet=node.type == "assignment_expression")
        if left is not None and term is not None and left.type in _PATHS:
            walker.refer("assigns", term, left)
        walker.visit(node.child_by_field_name("right"))

    # --- expressions

    def path(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """Read a value by its path."""
        quiet = walker.quiet
        term = self._path(walker, node)
        if term is not None and not quiet:
            walker.refer("reads", term, node)
        return term

    def _path(self, walker: "Walker", node: "Node") -> Term | None:
        """Return the term of a path, and note the types in its first part."""
        front = node.child_by_field_name("path")
        name = node.child_by_field_name("name")
        if front is None or name is None:
            segments = path_of(walker, node)
            return path_term(segments) if segments else None
        text = walker.text(name)
        if front.type == "bracketed_type":
            return self._qualified(walker, front, text)
        if front.type in _GENERIC:
            base = walker.type_term(front)
            return (MEMBER, base, text, "::") if base is not None else None
        segments = path_of(walker, front)
        if segments is None:
            base = self._path(walker, front) if front.type == "scoped_identifier" else None
            return (MEMBER, base, text, "::")
        is_single = len(segments) == 1 and segments != ["Self"]
        if is_single and _is_type_parameter(walker, segments[0]):
            return (MEMBER, (BOUND, segments[0]), text, "::")
        if segments != ["Self"]:
            walker.refer("uses?", path_term(segments), front)
        return path_term([*segments, text])

    def _qualified(self, walker: "Walker", front: "Node", name: str) -> Term | None:
        """Return the term of `<Type as Trait>::name`."""
        inner = next(iter(front.named_children), None)
        if inner is None or inner.type != "qualified_type":
            base = walker.type_term(inner)
            return (MEMBER, base, name, "::") if base is not None else None
        base = walker.type_term(inner.child_by_field_name("type"))
        trait = walker.type_term(inner.child_by_field_name("alias"))
        return (MEMBER, either([base]) or trait, name, "::")

    def generic_function(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """Read a function with its type arguments."""
        quiet, listed = walker.quiet, node.child_by_field_name("type_arguments")
        types = [walker.type_term(child) for child in (listed or node).named_children]
        term = walker.visit(node.child_by_field_name("function"), quiet)
        return (GENERIC, term, tuple(types)) if term is not None else None

    def struct(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """Make a struct or a variant: it uses the type."""
        name = _field(node, "name")
        segments = path_of(walker, name)
        term: Term | None = path_term(segments) if segments else None
        if term is not None and segments != ["Self"]:
            walker.refer("uses", term, name)
        if name.type in _GENERIC:
            walker.type_term(name.child_by_field_name("type_arguments"))
        walker.visit(node.child_by_field_name("body"))
        return (VALUE_OF, term) if term is not None else None

    def try_(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """Open a Result or an Option: `value?`."""
        term = walker.visit(next(iter(node.named_children), None))
        return (TRY, term) if term is not None else None

    def index(self, walker: "Walker", node: "Node", form: Form) -> Term | None:
        """An element of a list or a map, or a part of a list."""
        term = walker.visit_index(node, form, False)
        is_slice = node.named_children[-1].type == "range_expression"
        return (LIST_OF, term) if is_slice and term is not None else term

    # --- patterns

    def pattern(self, walker: "Walker", node: "Node", value: Term | None, position: int) -> None:
        """Bind the names of a pattern."""
        self.bind_pattern(walker, node, value, None, position)

    def bind_pattern(
        self,
        walker: "Walker",
        node: "Node",
        value: Term | None,
        type_term: Term | None,
        position: int,
        depth: int = 0,
    ) -> None:
        """Bind the names of a pattern; a capitalised name is a constant or a variant."""
        if depth > _MAX_PATTERNS:
            return
        match node.type:
            case "identifier" | "shorthand_field_identifier":
                name = walker.text(node)
                if name[:1].isupper():
                    walker.refer("reads?", (NAME, name), node)
                else:
                    walker.bind(name, position, type_term, value)
            case "scoped_identifier" | "scoped_type_identifier":
                self.path(walker, node, _TYPE)
            case "tuple_struct_pattern" | "struct_pattern":
                self._bind_parts(walker, node, value, position, depth)
            case "tuple_pattern" | "slice_pattern":
                whole = (VALUE_OF, type_term) if type_term is not None else value
                for number, child in _placed(node):
                    part: Term | None = None
                    if whole is not None and number >= 0:
                        is_tuple = node.type == "tuple_pattern"
                        part = (PART, whole, number) if is_tuple else (ELEMENT, whole)
                    self.bind_pattern(walker, child, part, None, position, depth + 1)
            case kind if kind != "closure_expression" and not kind.endswith("literal"):
                for child in node.named_children:
                    if child.type != "mutable_specifier":
                        self.bind_pattern(walker, child, value, type_term, position, depth + 1)

    def _bind_parts(
        self, walker: "Walker", node: "Node", value: Term | None, position: int, depth: int
    ) -> None:
        """Bind the parts that a pattern takes out of a struct or variant."""
        typed = node.child_by_field_name("type")
        segments = path_of(walker, typed) or []
        term = path_term(segments) if segments else None
        if term is not None and typed is not None and segments != ["Self"]:
            walker.refer("uses", term, typed)
        for number, child in _placed(node):
            if child == typed:
                continue
            name = child.child_by_field_name("name") if child.type == "field_pattern" else None
            inner = child.child_by_field_name("pattern") if name is not None else child
            part = walker.text(name) if name is not None else str(number)
            taken: Term = (PATTERN_PART, value, term, part)
            self.bind_pattern(walker, inner or name or child, taken, None, position, depth + 1)

    # --- types

    def type_path(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """Return the term of a type by its path, and note it."""
        segments = path_of(walker, node)
        if not segments:
            front = node.child_by_field_name("path")
            walker.type_term(front)
            return None
        if segments[0] == "Self":
            return (NAME, "::".join(segments))
        term = path_term(segments)
        walker.refer("uses", term, node)
        return term

    def generic_type(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """Return the term of a type with type arguments."""
        base = walker.type_term(node.child_by_field_name("type"))
        listed = node.child_by_field_name("type_arguments")
        arguments = tuple(
            walker.type_term(one)
            for one in (listed.named_children if listed is not None else ())
            if one.type not in ("lifetime", "type_binding", "line_comment")
        )
        for one in listed.named_children if listed is not None else ():
            if one.type == "type_binding":
                walker.type_term(one)
        return (GENERIC, base, arguments) if base is not None else None

    def bounds(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """Return one of several traits that a type has."""
        return either([walker.type_term(child) for child in node.named_children])

    def function_type(self, walker: "Walker", node: "Node", _form: Form) -> Term | None:
        """Note the types of a function type, or of a bound such as Fn(A) -> B."""
        for child in node.named_children:
            for part in child.named_children if child.type == "parameters" else (child,):
                walker.type_term(part)
        return None


def path_of(walker: "Walker", node: "Node | None") -> list[str] | None:
    """Return the segments of a path without its type arguments; None when it is no plain path."""
    segments: list[str] = []
    while node is not None:
        if node.type in _NAMES:
            return [walker.text(node), *reversed(segments)]
        if node.type in _GENERIC:
            node = node.child_by_field_name("type")
            continue
        if node.type not in ("scoped_identifier", "scoped_type_identifier"):
            return None
        segments.append(walker.text(_field(node, "name")))
        front = node.child_by_field_name("path")
        if front is None:
            return ["", *reversed(segments)]
        node = front
    return None


def path_term(segments: list[str]) -> Term:
    """Return the term of a path."""
    first, *more = segments
    is_anchor = bool(more) and (first in _ANCHORS or not first)
    term: Term = (ANCHOR, first) if is_anchor else (NAME, first)
    if more and first == "Self":
        term = (OWN_TYPE, first)
    for name in more:
        term = (MEMBER, term, name, "::")
    return term


def _is_type_parameter(walker: "Walker", name: str) -> bool:
    scope = walker.scope
    while scope > 0:
        here = walker.unit.scopes[scope]
        if bindings := here.names.get(name):
            value = bindings[0][4]
            return value is not None and value[0] == TYPE_PARAMETER
        scope = here.parent
    return False


def _field(node: "Node", name: str) -> "Node":
    return node.child_by_field_name(name) or node


def _placed(node: "Node") -> "Iterator[tuple[int, Node]]":
    """Yield the parts of a list with their places, where `_` has a place but is no part.

    The place of a part after `..` is -1."""
    place = 0
    for child in node.children:
        if child.type == "remaining_field_pattern":
            place = NO_SYMBOL
        elif child.type == "," and place >= 0:
            place += 1
        elif child.is_named and not child.type.endswith("comment"):
            yield place, child


def _use_paths(walker: "Walker", node: "Node") -> "Iterator[tuple[list[str], str, bool, Node]]":
    """Yield every path of a use: its segments, its alias, whether it is a glob, and its node."""
    root = node.child_by_field_name("argument")
    stack: list[tuple[Node, list[str]]] = [(root, [])] if root is not None else []
    while stack:
        part, before = stack.pop()
        if part.type in ("scoped_use_list", "use_list"):
            listed = part.child_by_field_name("list") or part
            inner = before + (path_of(walker, part.child_by_field_name("path")) or [])
            stack.extend((one, inner) for one in reversed(listed.named_children))
            continue
        alias = part.child_by_field_name("alias")
        is_glob = part.type == "use_wildcard"
        named = part.child_by_field_name("path") if alias is not None else part
        if is_glob:
            named = next(iter(part.named_children), None)
        path = path_of(walker, named) or []
        segments = before if before and path == ["self"] else before + path
        if segments:
            yield segments, walker.text(alias) if alias is not None else "", is_glob, part


def _attributes(walker: "Walker", node: "Node") -> list[str]:
    """Return the attributes that stand before an item."""
    texts, before = [], node.prev_named_sibling
    while before is not None and (
        before.type == "attribute_item" or before.type.endswith("comment")
    ):
        texts.append(" ".join(walker.text(before).split()))
        before = before.prev_named_sibling
    return texts


def _derives(walker: "Walker", node: "Node") -> list[str]:
    """Return the traits that a type derives."""
    return [
        name.strip()
        for attribute in reversed(_attributes(walker, node))
        if attribute.startswith("#[derive(")
        for name in attribute[9:].split(")")[0].split(",")
        if name.strip()
    ]


LANGUAGE = language(
    RustRules(),
    name="rust",
    suffixes=(".rs",),
    grammar=lambda _path: tree_sitter_rust.language(),
    package="tree-sitter-rust",
    version=7,
)
