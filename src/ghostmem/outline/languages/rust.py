"""Rust: impl blocks attach members to their types, and patterns take values apart."""

from collections.abc import Iterator

import tree_sitter_rust
from tree_sitter import Node

from ghostmem.outline.engine.extract import Walker
from ghostmem.outline.engine.facts import BLOCK, CLASS, MODULE_SCOPE, NO_SYMBOL, CodeSymbol
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
    dotted,
    either,
)
from ghostmem.outline.languages.rust_names import MODULE_NAME, PATTERN_PART, TRY, RustNames

TABLE = """
mod_item                     hook fn=module_item
use_declaration              hook fn=use
extern_crate_declaration     hook fn=use
function_item,function_signature_item func name=name params=parameters result=return_type \
    body=body type_params=type_parameters
struct_item,union_item,enum_item type name=name type_params=type_parameters
trait_item                   type name=name type_params=type_parameters kind=interface
type_item                    type name=name type_params=type_parameters type=type
associated_type              hook type_fn=bounds
impl_item                    hook fn=impl
const_item,static_item       hook fn=constant
enum_variant                 hook fn=variant
field_declaration            bind name=name type=type
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
identifier,self,crate,super,metavariable,field_identifier name
tuple_pattern,slice_pattern,tuple_struct_pattern,struct_pattern,reference_pattern pattern
scoped_identifier            hook fn=path path=path name=name
field_expression             member of=value name=field
field_initializer            same of=value only
call_expression              call callee=function args=arguments
generic_function             hook fn=generic_function
struct_expression            cast type=name of=body
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
_MODULE = form("type")
_STATEMENTS = {"expression_statement", "let_declaration", "empty_statement", "line_comment"}
_TYPES_IN_PATHS = {"bracketed_type", "generic_type", "generic_type_with_turbofish"}
_MAX_SIGNATURE = 160
_MAX_PATTERNS = 40  # patterns inside each other


class RustRules(RustNames):
    """The rules of Rust: how its syntax becomes facts."""

    forms = read_table(TABLE)

    def begin(self, walker: Walker, root: Node) -> None:
        walker.unit.detail = {"files": [], "impls": [], "macros": 0}
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
        paths = [text.split('"')[1] for text in attributes if text.startswith('#[path = "')]
        opens = any(text.startswith("#[macro_use") for text in attributes)
        walker.unit.detail["files"].append(
            (walker.scope, name, "".join(paths), opens, walker.line(node))
        )
        walker.bind(name, node.start_byte, None, (MODULE_NAME, name))

    def use(self, walker: Walker, node: Node, _form: Form) -> None:
        """Bind every name that a use, or a crate from outside, brings in."""
        self._use(walker, node.child_by_field_name("argument") or node, "")

    def _use(self, walker: Walker, node: Node, outer: str) -> None:
        path, alias, listed = (node.child_by_field_name(key) for key in ("path", "alias", "list"))
        if node.type == "scoped_use_list":
            outer += f"{walker.text(path)}::" if path is not None else ""
        if listed is not None or node.type == "use_list":
            for child in (listed or node).named_children:
                self._use(walker, child, outer)
            return
        named = path if path is not None and alias is not None else node
        if node.type == "extern_crate_declaration":
            named = _field(node, "name")
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

    def where(self, walker: Walker, node: Node, _form: Form) -> None:
        """Add the bounds of a where clause to those of the type parameter."""
        left = _field(node, "left")
        bound, name = walker.type_term(node.child_by_field_name("bounds")), walker.text(left)
        bindings = walker.unit.scopes[walker.scope].names.get(name)
        before = bindings[-1][4] if bindings else None
        if before is None or before[0] != TYPE_PARAMETER:
            walker.type_term(left)
        else:
            term = (TYPE_PARAMETER, name, either([before[2], bound]))
            walker.bind(name, bindings[0][0] if bindings else 0, None, term)

    def bases(self, walker: Walker, symbol: CodeSymbol, node: Node) -> None:
        """Note the members of a type and the traits that it derives or extends."""
        if symbol.kind == "module":
            self._bind_module(walker)
            return
        symbol.detail = _derives(walker, node)
        walker.bind("Self", node.start_byte, None, (TYPE_PARAMETER, "Self", (OWN_TYPE,)))
        walker.receivers = {"Self": (OWN_TYPE, "Self")}
        _where(walker, node)
        bounds = node.child_by_field_name("bounds")
        for bound in bounds.named_children if bounds is not None else ():
            if bound.type not in ("lifetime", "line_comment"):
                walker.base(symbol, "extends", bound)
        walker.visit(node.child_by_field_name("body"))

    def impl(self, walker: Walker, node: Node, _form: Form) -> None:
        """Visit an impl block: its functions and constants are members of its type.

        An associated type is bound as `Self::Name`."""
        written, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
        body, receivers = node.child_by_field_name("body"), walker.receivers
        count, first = len(walker.references), len(walker.unit.symbols)
        with walker.inside(BLOCK, walker.owner) as scope:
            walker.type_parameters(node.child_by_field_name("type_parameters"))
            _where(walker, node)
            type_term, trait_term = walker.type_term(written), walker.type_term(trait)
            del walker.references[count:]  # an impl block is no node
            bound = walker.unit.scopes[scope].names
            if type_term is not None and type_term[1] in bound:
                type_term = None  # what is implemented for all types belongs to none
            walker.bind("Self", node.start_byte, None, type_term)
            walker.receivers = {"Self": (OWN_TYPE, "Self")}
            for item in body.named_children if body is not None else ():
                if item.type == "type_item":
                    name = f"Self::{walker.text(_field(item, 'name'))}"
                    term = walker.type_term(item.child_by_field_name("type"))
                    walker.bind(name, item.start_byte, None, term)
                else:
                    walker.visit(item)
        walker.receivers = receivers
        names = [walker.text(part) if part is not None else "" for part in (written, trait)]
        row = (type_term, trait_term, scope, walker.line(node), *names)
        walker.unit.detail["impls"].append(row)
        for symbol in walker.unit.symbols[first:]:
            if symbol.scope == scope:
                symbol.receiver, symbol.detail = type_term, row
                symbol.kind = "method" if symbol.kind == "function" else symbol.kind
                bound.pop(symbol.name, None)  # only its type has it

    def constant(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare a constant or static; its initial value belongs to the symbol around it."""
        kind = "constant" if node.type == "const_item" else "variable"
        symbol = walker.define(node, walker.text(_field(node, "name")), kind)
        with walker.owned_by(symbol):
            symbol.type = walker.type_term(node.child_by_field_name("type"))
        walker.bind(symbol.name, node.start_byte, symbol.type, None, symbol.number)
        walker.visit(node.child_by_field_name("value"))

    def variant(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare a variant of an enum, whose value is of the enum."""
        enum = walker.unit.scopes[walker.scope].symbol
        symbol = walker.define(node, walker.text(_field(node, "name")), "field", "variant")
        walker.bind(symbol.name, node.start_byte, (SYMBOL, enum), None, symbol.number)
        with walker.inside(CLASS, symbol.number) as symbol.inner:
            walker.visit(node.child_by_field_name("body"))
            walker.visit(node.child_by_field_name("value"))

    def numbered_fields(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare the fields of a tuple struct by their numbers."""
        for number, part in enumerate(node.children_by_field_name("type")):
            symbol = walker.define(part, str(number), "field")
            symbol.type = walker.type_term(part)
            walker.bind(symbol.name, part.start_byte, symbol.type, None, symbol.number)

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
        """Visit a block, and return the value that it ends with.

        The where clause of a function adds to its type parameters."""
        before, term = node.prev_named_sibling, None
        if before is not None and before.type == "where_clause":
            walker.visit_all(before)
        has_items = any(child.type.endswith(("_item", "_declaration")) for child in node.children)
        with walker.inside(BLOCK) if has_items else walker.in_lazy_block():
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

    def assignment(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note the write of a name or a path; a field belongs to no symbol."""
        left = _field(node, "left")
        term = walker.visit(left, quiet=node.type == "assignment_expression")
        if term is not None and left.type in ("identifier", "scoped_identifier"):
            walker.refer("assigns", term, left)
        walker.visit(node.child_by_field_name("right"))

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
        if node.type in _TYPES_IN_PATHS:
            return walker.type_term(node)
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
        if walker.text(node).startswith("Self::"):  # a variant, or a type that an impl block binds
            return either([(NAME, walker.text(node)), term])
        if term is not None:
            walker.refer("uses", term, node)
        return term

    def generic_function(self, walker: Walker, node: Node, _form: Form) -> Term | None:
        """Read a function with its type arguments."""
        quiet, listed = walker.quiet, _field(node, "type_arguments")
        types = [walker.type_term(child) for child in listed.named_children]
        term = walker.visit(node.child_by_field_name("function"), quiet)
        return (GENERIC, term, tuple(types)) if term is not None else None

    def try_(self, walker: Walker, node: Node, _form: Form) -> Term | None:
        """Open a Result or an Option: `value?`."""
        term = walker.visit(next(iter(node.named_children), None))
        return (TRY, term) if term is not None else None

    def index(self, walker: Walker, node: Node, form: Form) -> Term | None:
        """An element of a list or a map, or a part of a list."""
        term = walker.visit_index(node, form, False)
        is_slice = node.named_children[-1].type == "range_expression"
        return (LIST_OF, term) if is_slice and term is not None else term

    # --- patterns

    def pattern(
        self, walker: Walker, node: Node, value: Term | None, position: int, depth: int = 0
    ) -> None:
        """Bind the names of a pattern; a capitalised name is a constant or a variant."""
        match node.type:
            case "identifier" | "shorthand_field_identifier":
                name = walker.text(node)
                if name[:1].isupper():
                    walker.refer("reads?", (NAME, name), node)
                else:
                    walker.bind(name, position, None, value)
            case "scoped_identifier" | "scoped_type_identifier":
                walker.visit(node)
            case kind if kind not in ("closure_expression", "mutable_specifier") and (
                depth < _MAX_PATTERNS and not kind.endswith("literal")
            ):
                for child, part in _taken(walker, node, value):
                    self.pattern(walker, child, part, position, depth + 1)


def _taken(walker: Walker, node: Node, value: Term | None) -> Iterator[tuple[Node, Term | None]]:
    """Yield the patterns in a pattern with the parts of the value that they stand for."""
    typed = node.child_by_field_name("type")
    term = walker.visit(typed, quiet=True)
    if term is not None and typed is not None and term[0] != OWN_TYPE:
        walker.refer("uses", term, typed)
    for number, child in _placed(node):
        part = value
        if typed is not None:
            name = child.child_by_field_name("name") if child.type == "field_pattern" else None
            key = walker.text(name) if name is not None else str(number)
            part = (PATTERN_PART, value, term, key) if term is not None else None
            child = child.child_by_field_name("pattern") or name or child
        elif node.type == "tuple_pattern" and value is not None:
            part = (PART, value, number) if number >= 0 else None
        elif node.type == "slice_pattern" and value is not None:
            part = (ELEMENT, value)
        if child != typed:
            yield child, part


def _where(walker: Walker, node: Node) -> None:
    """Visit the where clause of a declaration."""
    for child in node.named_children:
        if child.type == "where_clause":
            walker.visit_all(child)


def _field(node: Node, name: str) -> Node:
    return node.child_by_field_name(name) or node


def _placed(node: Node) -> Iterator[tuple[int, Node]]:
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


def _attributes(walker: Walker, node: Node) -> list[str]:
    """Return the attributes that stand before an item."""
    texts, before = [], node.prev_named_sibling
    while before is not None and before.type.endswith(("attribute_item", "comment")):
        texts.append(" ".join(walker.text(before).split()))
        before = before.prev_named_sibling
    return texts


def _derives(walker: Walker, node: Node) -> list[str]:
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
    grammar=lambda _path: tree_sitter_rust.language(),
    package="tree-sitter-rust",
    version=8,
)
