"""Rust: impl blocks attach members to their types, and patterns take values apart."""

import re
from collections.abc import Iterator

import tree_sitter_rust
from tree_sitter import Node

from ghostmem.outline.engine.extract import Walker
from ghostmem.outline.engine.facts import (
    B_TYPE,
    BLOCK,
    CLASS,
    EXTENSION,
    FUNCTION_SCOPE,
    MODULE_SCOPE,
    CodeSymbol,
)
from ghostmem.outline.engine.language import language
from ghostmem.outline.engine.table import Form, form, read_table
from ghostmem.outline.engine.terms import (
    CALL,
    EITHER,
    ELEMENT,
    GENERIC,
    IMPORT,
    MEMBER,
    NAME,
    OWN_TYPE,
    PART,
    SYMBOL,
    THIS,
    TYPE_PARAMETER,
    VALUE_OF,
    Term,
    dotted,
    either,
)
from ghostmem.outline.languages.rust_names import DERIVE, MODULE_NAME, OPENED, RustNames

TABLE = """
mod_item                     hook fn=module_item
use_declaration              hook fn=use
extern_crate_declaration     hook fn=use
function_item,function_signature_item func name=name params=parameters result=return_type \
    body=body type_params=type_parameters
struct_item,union_item,enum_item type name=name type_params=type_parameters
trait_item                   type name=name type_params=type_parameters kind=interface
type_item                    hook fn=alias name=name type_params=type_parameters type=type
impl_item                    hook fn=impl
const_item                   bind name=name type=type value=value kind=constant
static_item                  bind name=name type=type value=value kind=variable
enum_variant                 hook fn=variant
field_declaration            bind name=name type=type
ordered_field_declaration_list hook fn=numbered_fields
macro_definition             hook fn=macro
macro_invocation             hook fn=macro_call type_fn=macro_call
parameter                    param name=pattern type=type
self_parameter               hook fn=bind_self
type_parameter               typeparam bound=bounds
where_predicate              typeparam bound=bounds
const_parameter              param name=name type=type
let_declaration,let_condition hook fn=let
if_expression,while_expression hook fn=branches
match_expression             hook fn=match
for_expression               range left=pattern right=value body=body
closure_expression           lambda params=parameters result=return_type body=body
block                        hook fn=block
unsafe_block,const_block,async_block same of=0
return_expression            return
identifier,self,crate,super,metavariable,field_identifier name
tuple_pattern,slice_pattern,tuple_struct_pattern,struct_pattern,field_pattern pattern
reference_pattern,ref_pattern,mut_pattern,captured_pattern,or_pattern,range_pattern pattern
scoped_identifier            hook fn=path path=path name=name
field_expression             member of=value name=field
field_initializer            same of=value only
call_expression              call callee=function args=arguments
generic_function             same of=function
struct_expression            cast type=name of=body
try_expression               hook fn=try_
index_expression             hook fn=index of=0
reference_expression         same of=value
await_expression,unary_expression,parenthesized_expression same of=0
array_expression             list
tuple_expression             tuple
type_cast_expression         cast type=type of=value
assignment_expression        assign left=left right=right
compound_assignment_expr     assign left=left right=right read
string_literal,raw_string_literal literal is=str
char_literal                 literal is=char
boolean_literal              literal is=bool
type_identifier              name
scoped_type_identifier       hook fn=path type_fn=type_path path=path name=name
generic_type,generic_type_with_turbofish generic of=type flat
primitive_type               primitive
reference_type,pointer_type,qualified_type same of=type
bracketed_type               same of=0
array_type                   listtype of=element
tuple_type                   tupletype
dynamic_type,abstract_type   same of=trait
bounded_type,trait_bounds,higher_ranked_trait_bound uniontype
function_type                functype params=parameters result=return_type
type_binding                 same of=type
attribute_item,inner_attribute_item,visibility_modifier,lifetime,label,line_comment skip
block_comment,token_tree,lifetime_parameter,extern_modifier,shorthand_field_identifier skip
"""
_UNWRAPPED = {(NAME, "Some"): "unwrap", (NAME, "Ok"): "unwrap", (NAME, "Err"): "unwrap_err"}
_MODULE = form("type")
_IMPL = form("type type_params=type_parameters")
_DERIVE = re.compile(r"#\[derive\(([^)]*)\)")
_PATH = re.compile(r'#\[path = "([^"]*)"')
_STATEMENTS = {"expression_statement", "let_declaration", "empty_statement", "line_comment"}
_MAX_SIGNATURE = 160
_UNKNOWN_PLACE = 1000  # after `..`
_MAX_PATTERNS = 40  # patterns inside each other


class RustRules(RustNames):
    """The rules of Rust: how its syntax becomes facts."""

    forms = read_table(TABLE)

    def begin(self, walker: Walker, root: Node) -> None:
        walker.unit.detail = {"files": [], "macros": 0}
        self._bind_module(walker)

    @staticmethod
    def _bind_module(walker: Walker) -> None:
        """Bind the words that paths begin with in a module."""
        walker.state["module"] = walker.scope
        for word in ("self", "super", "crate", "$crate"):
            walker.bind(word, 0, None, (MODULE_NAME, word))

    def signature(self, walker: Walker, node: Node) -> str:
        """Return the source of a declaration before its body."""
        body = None if node.type == "enum_variant" else node.child_by_field_name("body")
        return walker.head(node, body)[:_MAX_SIGNATURE].rstrip(" {;,=")

    # --- modules

    def module_item(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare a module, inline or in a file of its own."""
        name, body = walker.text(_field(node, "name")), node.child_by_field_name("body")
        if body is not None:
            symbol, outer = walker.declare(node, name, "module"), walker.state["module"]
            walker.type_body(symbol, body, _MODULE, node, MODULE_SCOPE)
            walker.state["module"] = outer
            return
        attributes = _attributes(walker, node)
        term = (MODULE_NAME, name, *_PATH.findall(attributes)[:1])
        walker.unit.detail["files"].append((walker.scope, term, walker.line(node)))
        walker.bind(name, node.start_byte, None, term)
        if "#[macro_use" in attributes:
            walker.bind(OPENED, node.start_byte, None, term)

    def use(self, walker: Walker, node: Node, _form: Form) -> None:
        """Bind every name that a use, or a crate from outside, brings in."""
        self._use(walker, node.child_by_field_name("argument") or _field(node, "name"), "")

    def _use(self, walker: Walker, node: Node, outer: str) -> None:
        path, alias = (node.child_by_field_name(key) for key in ("path", "alias"))
        if node.type == "use_list":
            for child in node.named_children:
                self._use(walker, child, outer)
        elif node.type == "scoped_use_list":
            outer += f"{walker.text(path)}::" if path is not None else ""
            self._use(walker, _field(node, "list"), outer)
        else:
            named = path if path is not None and alias is not None else node
            bound = walker.text(alias) if alias is not None else ""
            self._import(walker, node, outer + "".join(walker.text(named).split()), bound)

    @staticmethod
    def _import(walker: Walker, node: Node, written: str, alias: str) -> None:
        """Bind the last name of a path, or note that everything in it is imported."""
        outer, _, name = written.removesuffix("::self").removeprefix("::").rpartition("::")
        path = f"{walker.state['module']}>{outer}"
        walker.import_path(path, node, "" if name == "*" else name)
        if name == "*":
            walker.unit.stars.append(path)
        elif alias != "_":
            for mark in ("", "!"):  # also a macro of this name
                term: Term = (IMPORT, path, name + mark)
                walker.bind((alias or name) + mark, node.start_byte, None, term)

    # --- items

    def bind_self(self, walker: Walker, _node: Node, _form: Form) -> None:
        """Let `self` be the instance."""
        walker.receivers = {**walker.receivers, "self": (THIS, "self")}

    def bases(self, walker: Walker, symbol: CodeSymbol, node: Node) -> None:
        """Note what a module, a type or an impl block has besides its items."""
        if symbol.kind == "module":
            self._bind_module(walker)
            return
        _where(walker, node)
        complete = self._extension if symbol.kind == EXTENSION else self._traits
        own = complete(walker, symbol, node)
        walker.bind("Self", node.start_byte, None, (TYPE_PARAMETER, "Self", own))
        walker.receivers = {"Self": (OWN_TYPE, "Self")}
        walker.visit(node.child_by_field_name("body"))

    @staticmethod
    def _traits(walker: Walker, symbol: CodeSymbol, node: Node) -> Term:
        """Note the traits that a type derives or extends, and return its term."""
        for listed in _DERIVE.findall(_attributes(walker, node)):
            for name in filter(None, map(str.strip, listed.split(","))):
                term = (DERIVE, f"derive({name})")
                symbol.bases.append(("implements", term, symbol.line, node.start_byte))
        bounds = node.child_by_field_name("bounds")
        for bound in bounds.named_children if bounds is not None else ():
            if bound.type not in ("lifetime", "line_comment"):
                walker.base(symbol, "extends", bound)
        return (OWN_TYPE,)

    def impl(self, walker: Walker, node: Node, _form: Form) -> None:
        """Visit an impl block: its functions and constants are members of its type."""
        written, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
        block = walker.define(node, EXTENSION, EXTENSION, "inline")
        block.detail = tuple(walker.text(part) if part else "" for part in (written, trait))
        walker.type_body(block, None, _IMPL, node)
        for symbol in walker.unit.symbols[block.number + 1 :]:
            if symbol.scope == block.inner:
                symbol.receiver = block.receiver

    @staticmethod
    def _extension(walker: Walker, symbol: CodeSymbol, node: Node) -> Term | None:
        """Note the trait of an impl block, and return its type; its head refers to nothing."""
        term, trait = walker.type_term(_field(node, "type")), node.child_by_field_name("trait")
        # one for all types belongs to none, and one for a pointer not to what it points to
        if term is not None and term[1] not in symbol.type_parameters:
            symbol.receiver = term[1] if term[0] == GENERIC else term
        if trait is not None:
            walker.base(symbol, "implements", trait)
        while walker.references and walker.references[-1][1] == symbol.number:
            walker.references.pop()
        return term

    def alias(self, walker: Walker, node: Node, form: Form) -> None:
        """Declare a type by another one, but not that of an impl block."""
        around = walker.unit.scopes[walker.scope]
        if around.kind == CLASS and walker.unit.symbols[around.symbol].kind == EXTENSION:
            walker.type_term(node.child_by_field_name("type"))
        else:
            walker.flags = {"alias"}
            walker.visit_type(node, form, False)

    def variant(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare a variant of an enum, whose value is of the enum."""
        enum = walker.unit.scopes[walker.scope].symbol
        symbol = walker.define(node, walker.text(_field(node, "name")), "field", "variant")
        walker.bind(symbol.name, node.start_byte, (SYMBOL, enum), None, symbol.number)
        with walker.inside(CLASS, symbol.number) as symbol.inner:
            walker.visit(node.child_by_field_name("body"))
            walker.visit(node.child_by_field_name("value"))
            fields = walker.unit.scopes[walker.scope].names.items()
        for name, bindings in fields:  # patterns take them out of a value of the enum
            walker.bind(f"{symbol.name}::{name}", node.start_byte, bindings[0][B_TYPE])

    def numbered_fields(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare the fields of a tuple struct by their numbers."""
        for number, part in enumerate(node.children_by_field_name("type")):
            symbol = walker.define(part, str(number), "field")
            type_term = walker.type_term(part)
            walker.bind(symbol.name, part.start_byte, type_term, None, symbol.number)

    def macro(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare a macro under its name with an exclamation mark."""
        walker.declare(node, f"{walker.text(_field(node, 'name'))}!", "function")

    def macro_call(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note the call of a macro; its arguments are not parsed."""
        macro = _field(node, "macro")
        walker.unit.detail["macros"] += 1
        walker.refer("calls", dotted(f"{walker.text(macro)}!", "::"), macro)

    # --- statements

    def block(self, walker: Walker, node: Node, _form: Form) -> Term | None:
        """Visit a block, and return the value that it ends with."""
        if walker.scope_kind == FUNCTION_SCOPE and node.parent is not None:
            _where(walker, node.parent)
        term = None
        with walker.inside(BLOCK):
            for child in node.named_children:
                term = walker.visit(child)
                term = None if child.type in _STATEMENTS else term
        return term

    def let(self, walker: Walker, node: Node, _form: Form) -> None:
        """Bind a pattern to its value, also that of `if let` and `while let`."""
        type_term = walker.type_term(node.child_by_field_name("type"))
        term = walker.visit(node.child_by_field_name("value"))
        walker.visit(node.child_by_field_name("alternative"))
        value = (VALUE_OF, type_term) if type_term is not None else term
        self.pattern(walker, _field(node, "pattern"), value, node.end_byte)

    def branches(self, walker: Walker, node: Node, _form: Form) -> Term | None:
        """Keep the names that a condition binds out of the other branch."""
        with walker.in_lazy_block():
            walker.visit(node.child_by_field_name("condition"))
            term = walker.visit(
                node.child_by_field_name("consequence") or node.child_by_field_name("body")
            )
        return either([term, *walker.visits(node.child_by_field_name("alternative"))])

    def match(self, walker: Walker, node: Node, _form: Form) -> Term | None:
        """Bind the pattern of every arm to the matched value."""
        term = walker.visit(node.child_by_field_name("value"))
        body = node.child_by_field_name("body")
        terms = []
        for arm in body.named_children if body is not None else ():
            pattern = _field(arm, "pattern")
            guard = pattern.child_by_field_name("condition")
            with walker.in_lazy_block():
                for inner in pattern.named_children[:1]:
                    if inner != guard:  # a pattern `_` is no node
                        self.pattern(walker, inner, term, inner.end_byte)
                walker.visit(guard)
                terms.append(walker.visit(arm.child_by_field_name("value")))
        return either(terms)

    # --- expressions

    def path(self, walker: Walker, node: Node, form: Form) -> Term | None:
        """Read a value by its path, and note the types in its first part."""
        quiet, front = walker.quiet, walker.child(node, form, "path")
        name = walker.text(walker.child(node, form, "name") or node)
        term: Term = (NAME, name)
        if front is not None:
            term = (MEMBER, self._front(walker, front), name, "::")
        if not quiet:
            walker.refer("reads", term, node)
        return term

    @staticmethod
    def _front(walker: Walker, node: Node) -> Term | None:
        if node.type == "self":
            return (NAME, "self")
        term = walker.visit(node, quiet=True)
        if term is not None and term[0] != OWN_TYPE:
            walker.refer("uses?", term, node)
        return term

    def type_path(self, walker: Walker, node: Node, form: Form) -> Term | None:
        """Return the term of a type by its path, and note it."""
        walker.quiet = True
        term = self.path(walker, node, form)
        if term is not None:
            walker.refer("uses", term, node)
        return term

    def try_(self, walker: Walker, node: Node, _form: Form) -> Term | None:
        """Open a Result or an Option: `value?`."""
        return _opened(walker.visit(next(iter(node.named_children), None)))

    def index(self, walker: Walker, node: Node, form: Form) -> Term | None:
        """An element of a list or a map, or a part of a list."""
        is_slice = node.named_children[-1].type == "range_expression"
        visit = walker.visit_same if is_slice else walker.visit_index
        return visit(node, form, False)

    # --- patterns

    def pattern(
        self, walker: Walker, node: Node, value: Term | None, position: int, depth: int = 0
    ) -> None:
        """Bind the names of a pattern; a capitalised name is a constant or a variant."""
        if node.type in ("identifier", "shorthand_field_identifier"):
            name = walker.text(node)
            if name[:1].isupper():
                walker.refer("reads?", (NAME, name), node)
            else:
                walker.bind(name, position, None, value)
        elif node.type.startswith("scoped"):
            walker.visit(node)
        elif walker.role(node) == "pattern" and depth < _MAX_PATTERNS:
            for child, part in _taken(walker, node, value):
                self.pattern(walker, child, part, position, depth + 1)


def _taken(walker: Walker, node: Node, value: Term | None) -> Iterator[tuple[Node, Term | None]]:
    """Yield the patterns in a pattern with the parts of the value that they stand for."""
    typed, place = node.child_by_field_name("type"), 0
    path = walker.visit(typed, quiet=True)
    if path is not None and path[0] != OWN_TYPE:
        walker.refer("uses", path, typed or node)
    for child in node.children:
        place += child.type == ","
        if child.type == "remaining_field_pattern":
            place = _UNKNOWN_PLACE
        elif child.is_named and child != typed:
            part, name = value, child.child_by_field_name("name")
            if path is not None:
                part = _field_term(value, path, walker.text(name) if name else str(place))
                child = child.child_by_field_name("pattern") or name or child
            elif node.type == "tuple_pattern":
                part = (PART, value, place)
            elif node.type == "slice_pattern":
                part = (ELEMENT, value)
            yield child, part


def _field_term(value: Term | None, path: Term, key: str) -> Term | None:
    """Return a field of a struct or a variant in a pattern."""
    path = path[1] if path[0] == GENERIC else path
    if path in _UNWRAPPED:
        return _opened(value, _UNWRAPPED[path])
    whole, last = either([value, (VALUE_OF, path)]), path[2] if path[0] == MEMBER else path[1]
    return (EITHER, ((MEMBER, whole, key), (MEMBER, whole, f"{last}::{key}")))


def _opened(term: Term | None, method: str = "unwrap") -> Term | None:
    """Return what is in a Result or an Option."""
    return (CALL, (MEMBER, term, method), ()) if term is not None else None


def _where(walker: Walker, node: Node) -> None:
    """Replace the bounds of type parameters by those in the where clause of a declaration."""
    for child in node.named_children:
        if child.type == "where_clause":
            walker.type_parameters(child)


def _field(node: Node, name: str) -> Node:
    return node.child_by_field_name(name) or node


def _attributes(walker: Walker, node: Node) -> str:
    """Return the attributes that stand before an item, the nearest one first."""
    text, before = "", node.prev_named_sibling
    while before is not None and before.type.endswith(("attribute_item", "comment")):
        text += walker.text(before)
        before = before.prev_named_sibling
    return text


LANGUAGE = language(
    RustRules(),
    name="rust",
    grammar=lambda _path: tree_sitter_rust.language(),
    package="tree-sitter-rust",
    version=9,
)
