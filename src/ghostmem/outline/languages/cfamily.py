"""C and C++: what their tables do not say. Declarators, constructors, namespaces and templates are
noted here; `cfamily_names` looks names up by includes and joins declarations with definitions."""

import re
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from typing import NamedTuple

from tree_sitter import Language, Node, Parser

from ghostmem.outline.engine.extract import UNLIMITED, Walker, plain_children
from ghostmem.outline.engine.facts import (
    B_SYMBOL,
    BLOCK,
    CLASS,
    FILE,
    FUNCTION_SCOPE,
    MODULE_SCOPE,
    CodeSymbol,
)
from ghostmem.outline.engine.table import Form, form
from ghostmem.outline.engine.terms import (
    CONSTRUCT,
    GENERIC,
    IMPORT,
    LAMBDA,
    MAX_NESTED_ARGUMENTS,
    MEMBER,
    NAME,
    SYMBOL,
    VALUE_OF,
    Term,
    dotted,
)
from ghostmem.outline.languages.c_macros import blanked
from ghostmem.outline.languages.cfamily_names import FamilyNames

TABLE = """
preproc_include              hook fn=include
preproc_if,preproc_ifdef,preproc_elif hook fn=condition
enumerator                   bind name=name value=value kind=constant
parameter_declaration        param name=declarator type=type
optional_parameter_declaration param name=declarator type=type value=default_value
variadic_parameter,variadic_parameter_declaration param type=type many
array_declarator,function_declarator,pointer_declarator,reference_declarator skip
parenthesized_declarator,attributed_declarator skip
function_definition,declaration,field_declaration hook fn=declaration
type_definition              hook fn=typedef
struct_specifier,union_specifier,class_specifier,enum_specifier hook fn=record type_fn=record
compound_statement           hook fn=block
if_statement,for_statement,while_statement,switch_statement block
identifier,type_identifier   name
field_expression             member of=argument name=field separator=operator unsure
call_expression              call callee=function args=arguments
new_expression               hook fn=construction type=type args=arguments
compound_literal_expression  hook fn=construction type=type args=value unsure
assignment_expression        assign left=left right=right read
update_expression            assign left=argument read
cast_expression              cast type=type of=value
conditional_expression       either test=condition
subscript_expression         index of=argument
parenthesized_expression     same of=0
pointer_expression           same of=argument
primitive_type,sized_type_specifier primitive
placeholder_type_specifier,auto,decltype notype
type_descriptor              same of=type only
comment,preproc_def,preproc_function_def,preproc_call,preproc_defined,preproc_arg skip
attribute_declaration,attribute_specifier,gnu_asm_expression,ms_declspec_modifier skip
statement_identifier,string_literal,raw_string_literal,char_literal,number_literal skip
system_lib_string,friend_declaration,field_designator,alignas_qualifier skip
"""
CPP_TABLE = """
namespace_definition         hook fn=namespace
using_declaration,namespace_alias_definition hook fn=using
type_parameter_declaration,variadic_type_parameter_declaration typeparam
optional_type_parameter_declaration typeparam
alias_declaration            hook fn=typedef
field_initializer            hook fn=construction type=0 args=1 unsure
for_range_loop               range left=declarator right=right body=body type=type
structured_binding_declarator tuple
catch_clause                 block
lambda_expression            hook fn=lambda_
lambda_capture_initializer   bind name=left value=right
qualified_identifier         hook fn=qualified type_fn=qualified
template_type,template_function hook fn=qualified type_fn=qualified
dependent_type               same of=0
this                         this
operator_name,destructor_name,template_parameter_list skip
"""
_INDIRECT = {"pointer_declarator", "reference_declarator"}
_WRAPPERS = _INDIRECT | {
    *("array_declarator", "init_declarator", "parenthesized_declarator", "attributed_declarator"),
    "function_declarator",
}
_PATHS = {
    *("identifier", "field_identifier", "type_identifier", "namespace_identifier"),
    *("destructor_name", "operator_name"),
    *("qualified_identifier", "nested_namespace_specifier", "dependent_name"),
    *("template_type", "template_function", "template_method"),
}
_TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>")
_INITIALIZERS = ("argument_list", "initializer_list")
_CONSTANT = {"const", "constexpr", "constinit"}
_DEFINING = {"default_method_clause", "delete_method_clause", "try_statement"}
_CASTS = {"static_cast", "dynamic_cast", "reinterpret_cast", "const_cast"}
_MAKERS = {"make_unique", "make_shared", "make_optional"}
# macros of GoogleTest: the body is a method of a class that extends the first argument
_WITH_FIXTURE = {"TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"}
_ALIAS = form("type type=type")
_NAMED = (NAME, MEMBER, GENERIC)  # types that may have constructors


class Declarator(NamedTuple):
    """The parts of a declarator: its name as a path, and what is around the name."""

    path: list[str]
    function: Node | None  # if a function is declared, and no pointer to one
    is_indirect: bool  # a pointer or a reference
    is_callback: bool  # a pointer to a function


class Family(FamilyNames):
    """The rules that C and C++ share."""

    # --- files and modules

    def parsed_again(self, root: Node, source: bytes) -> Node:
        """Parse again without the macros and directives that hide declarations."""
        plain = blanked(source)
        return root if plain == source else Parser(Language(self.grammar())).parse(plain).root_node

    def include(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note an include."""
        path = node.child_by_field_name("path")
        text = walker.text(path) if path is not None else ""
        if text[:1] in ('"', "<"):
            walker.import_path(text[1:-1], node, text[0])

    def condition(self, walker: Walker, node: Node, _form: Form) -> None:
        """Visit all branches of a condition of the preprocessor, not the condition."""
        test = node.child_by_field_name("condition") or node.child_by_field_name("name")
        for child in node.named_children:
            if child != test:
                walker.visit(child)

    def namespace(self, walker: Walker, node: Node, _form: Form) -> None:
        """Enter a namespace; an inline one is transparent, one without a name hides what it has."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        is_inline = any(child.type == "inline" for child in node.children)
        first = len(walker.unit.symbols)
        with ExitStack() as stack:
            for word in [] if is_inline else path_of(walker, name):
                symbol = walker.declare(node, word, "module", "inline")
                symbol.inner = stack.enter_context(walker.inside(MODULE_SCOPE, symbol.number))
                walker.owner = symbol.number
            walker.visit(body)
        for symbol in walker.unit.symbols[first:] if name is None else ():
            symbol.flags.add("hidden")

    def using(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note `using a::b`, `using namespace a` and `namespace a = b::c`."""
        alias = node.child_by_field_name("name")
        path = next((path_of(walker, child) for child in node.named_children if child != alias), [])
        if any(child.type == "namespace" for child in node.children) and alias is None:
            walker.unit.stars.append("::".join(path))
        elif path:
            name = walker.text(alias) if alias is not None else path[-1]
            walker.bind(name, node.start_byte, None, (IMPORT, "::".join(path[:-1]), path[-1]))

    # --- types

    def qualified(self, walker: Walker, node: Node, _form: Form) -> Term | None:
        """Note a name with qualifiers or template arguments: a type, or a value."""
        quiet, path = walker.quiet, path_of(walker, node)
        if not path:
            return None
        term = path_term(path)
        is_type = _last(node).type in ("type_identifier", "template_type")
        if is_type or not quiet:
            walker.refer("uses" if is_type else "reads", term, node)
        types = self._template_arguments(walker, node, path)
        return (GENERIC, term, tuple(types)) if is_type and types else term

    def _template_arguments(self, walker: Walker, node: Node, path: list[str]) -> list[Term | None]:
        """Note the template arguments at the end of a name, and its scope if that is a type."""
        listed = _last(node).child_by_field_name("arguments")
        if len(path) > 1 and path[0] not in ("std", ""):
            walker.refer("uses?", path_term(path[:-1]), node)
        return [walker.type_term(child) for child in listed.named_children] if listed else []

    def record(self, walker: Walker, node: Node, form: Form) -> Term | None:
        """Declare a struct, class, union or enum with a body, once; otherwise it is used."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        path = path_of(walker, name) or walker.state.pop("typedef", [])
        bound = path[-1] if path else ""
        if self.has_tags and name is not None:
            bound = f"{node.type.partition('_')[0]} {bound}"
        if body is None or node.start_byte in walker.state:
            term = path_term([*path[:-1], bound]) if path else walker.state.get(node.start_byte)
            if term is not None:
                walker.refer("uses", term, node)
            return term
        walker.state[node.start_byte] = (NAME, bound) if path else None
        is_enum = node.type == "enum_specifier"
        if not path:
            if is_enum or walker.scope_kind == CLASS:
                walker.visit_all(body)
            return None
        symbol = self._type(walker, node, path, bound)
        if is_enum and not any(child.type in ("class", "struct") for child in node.children):
            symbol.flags.add("enum")
        walker.type_body(symbol, body, form, node)
        if "enum" in symbol.flags or self.has_tags:
            self._spill(walker, symbol)
        return (SYMBOL, symbol.number)

    @staticmethod
    def _spill(walker: Walker, symbol: CodeSymbol) -> None:
        """Make the types and constants in a type visible around it."""
        scopes, symbols = walker.unit.scopes, walker.unit.symbols
        for name, bindings in scopes[symbol.inner].names.items():
            declared = [symbols[each[B_SYMBOL]] for each in bindings if each[B_SYMBOL] >= 0]
            if {each.kind for each in declared} <= {"type", "constant"}:
                scopes[walker.home()].names.setdefault(name, []).extend(bindings)

    def bases(self, walker: Walker, symbol: CodeSymbol, node: Node) -> None:
        """Note the parameters of a template, and the bases of a type."""
        around = node.parent
        if around is not None and around.type == "template_declaration":
            listed = around.child_by_field_name("parameters")
            symbol.type_parameters = walker.type_parameters(listed)
        for clause in node.named_children:
            for base in clause.named_children if clause.type == "base_class_clause" else ():
                walker.base(symbol, "extends", base)

    @staticmethod
    def _type(walker: Walker, node: Node, path: list[str], bound: str, *flags: str) -> CodeSymbol:
        symbol = walker.define(node, path[-1], "type", *flags)
        if len(path) > 1:
            symbol.receiver = path_term(path[:-1])
        else:
            walker.bind_symbol(symbol, bound, node.start_byte)
        return symbol

    def typedef(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare other names of types; one that repeats that of its struct is no second symbol."""
        typed = node.child_by_field_name("type")
        key = "declarator" if node.type == "type_definition" else "name"
        listed = [declarator(walker, child) for child in node.children_by_field_name(key)]
        declarators = [each for each in listed if each is not None]
        has_body = typed is not None and typed.child_by_field_name("body") is not None
        tag = path_of(walker, typed.child_by_field_name("name")) if typed and has_body else []
        if has_body and not tag and declarators:
            walker.state["typedef"] = declarators.pop(0).path
        term = walker.type_term(typed) if has_body else None
        for declared in declarators:
            if declared.path == tag:
                walker.bind(declared.path[-1], node.start_byte, None, term)
                continue
            symbol = self._type(walker, node, declared.path, declared.path[-1], "alias")
            walker.type_body(symbol, None, _ALIAS, node)
            if declared.function is not None or declared.is_callback:
                symbol.underlying = None

    # --- functions and variables

    def declaration(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare functions and variables; inside of a body bind locals."""
        typed = node.child_by_field_name("type")
        is_definition = node.type == "function_definition"
        is_local = walker.scope_kind not in (CLASS, MODULE_SCOPE) and walker.scope > 0
        if typed is not None and typed.child_by_field_name("body") is not None:
            walker.type_term(typed)
        for child in node.children_by_field_name("declarator"):
            declared = declarator(walker, child)
            is_function = declared is not None and declared.function is not None
            if declared is not None and is_function and (is_definition or not is_local):
                self._function(walker, node, child, declared, typed)
            elif is_definition:
                walker.visit_all(node)
            else:
                self._variable(walker, node, child, declared, typed, is_local)

    def _function(
        self, walker: Walker, node: Node, child: Node, declared: Declarator, typed: Node | None
    ) -> None:
        """Declare a function or method, with its body or without."""
        symbol = self._function_symbol(walker, node, declared, typed)
        function = declared.function
        listed = function.child_by_field_name("parameters") if function is not None else None
        after = function.named_children if function is not None else []
        trailing = [part for part in after if part.type == "trailing_return_type"]
        with walker.inside(FUNCTION_SCOPE, symbol.number) as symbol.inner:
            walker.owner, walker.function = symbol.number, symbol
            self.bases(walker, symbol, node)
            symbol.result = walker.type_term(trailing[0] if trailing else typed)
            if listed is not None and walker.text(listed) != "(void)":
                walker.parameters(listed, symbol, False)
                if any(part.type == "..." for part in listed.children):
                    symbol.max_arguments = UNLIMITED
            for part in node.named_children if node.type == "function_definition" else ():
                if part not in (typed, child) and not part.is_error:
                    walker.visit(part)

    def _function_symbol(
        self, walker: Walker, node: Node, declared: Declarator, typed: Node | None
    ) -> CodeSymbol:
        in_type, name = walker.scope_kind == CLASS, declared.path[-1]
        body = node.child_by_field_name("body")
        is_macro = typed is None and body is not None and not in_type and name.isupper()
        is_macro = is_macro and len(declared.path) == 1
        if is_macro and declared.function is not None:  # TEST(Suite, Case) { ... }
            name = " ".join(walker.text(declared.function).split())[:160]
        symbol = walker.define(node, name, "method" if in_type else "function")
        if walker.function is not None and not in_type:
            symbol.parent = FILE  # no function is inside of another one; the source is broken
        kinds = {child.type for child in node.children}
        default = node.child_by_field_name("default_value")
        symbol.flags |= {
            flag
            for flag, holds in (
                ("declared", body is None and kinds.isdisjoint(_DEFINING)),
                ("static", "static" in _specifiers(walker, node)),
                ("pure", default is not None and walker.text(default) == "0"),
                ("deleted", "delete_method_clause" in kinds),
            )
            if holds
        }
        if len(declared.path) > 1:
            # in a type a name has no qualifiers: a macro or parentheses hide the real one
            symbol.receiver = None if in_type else path_term(declared.path[:-1])
        elif is_macro and declared.path[-1] in _WITH_FIXTURE:
            symbol.flags.add("guest")
            symbol.receiver = (NAME, name.partition("(")[2].partition(",")[0])
        else:
            owner = walker.unit.symbols[walker.owner].name if in_type else ""
            walker.bind_symbol(symbol, self.constructor if owner == name else name, node.start_byte)
        return symbol

    def pattern(self, walker: Walker, node: Node, value: Term | None, position: int) -> None:
        """Bind the names in a declarator; a pointer to a function has no value."""
        declared = declarator(walker, node)
        if declared is not None:
            known = None if declared.is_callback else value
            walker.bind(declared.path[-1], position, None, known)
        while node.type in _WRAPPERS and node.named_children:
            node = node.named_children[0]
        if node.type == "structured_binding_declarator":
            walker.pattern(node, value, None, position)

    def _variable(
        self,
        walker: Walker,
        node: Node,
        child: Node,
        declared: Declarator | None,
        typed: Node | None,
        is_local: bool,
    ) -> None:
        """Declare a variable, constant or field, or bind a local, after its value."""
        value = child.child_by_field_name("value") or (
            node.child_by_field_name("default_value") or node.child_by_field_name("value")
        )
        symbol = None
        if declared is not None and not is_local:
            symbol = self._variable_symbol(walker, node, declared, value is not None)
        is_field = symbol is not None and symbol.kind == "field"
        with walker.owned_by(symbol) if symbol is not None and not is_field else nullcontext():
            type_term = walker.type_term(typed)
        term = walker.visit(value)
        if declared is not None and (is_local or (value is not None and not is_field)):
            self._constructed(walker, declared, value, type_term, node)
        if declared is None or symbol is None:
            known = (VALUE_OF, type_term) if type_term is not None else term
            walker.pattern(child, known, None, child.end_byte)
        elif symbol.receiver is None:
            known = (type_term, term if type_term is None else None)
            known = (None, None) if declared.is_callback else known
            walker.bind(symbol.name, child.start_byte, *known, symbol.number)

    @staticmethod
    def _variable_symbol(
        walker: Walker, node: Node, declared: Declarator, has_value: bool
    ) -> CodeSymbol:
        words, in_type = _specifiers(walker, node), walker.scope_kind == CLASS
        is_field = in_type and "static" not in words
        is_constant = not _CONSTANT.isdisjoint(words) and not declared.is_indirect
        kind = "field" if is_field else "constant" if is_constant else "variable"
        symbol = walker.define(node, declared.path[-1], kind)
        if not has_value and ("extern" in words or (in_type and not is_field)):
            symbol.flags.add("declared")
        if "static" in words and not in_type:
            symbol.flags.add("static")
        if len(declared.path) > 1:
            symbol.receiver = path_term(declared.path[:-1])
        return symbol

    def _constructed(
        self,
        walker: Walker,
        declared: Declarator,
        value: Node | None,
        type_term: Term | None,
        node: Node,
    ) -> None:
        """Note the constructor that a declaration calls; without arguments only if there is one."""
        listed = plain_children(value)
        kind = "calls" if value is not None and value.type == "argument_list" else "calls?"
        if declared.function is not None:  # T name(a, b) calls it if these are no types
            listed = plain_children(declared.function.child_by_field_name("parameters"))
        is_list = value is None or value.type in _INITIALIZERS
        is_typed = any(child.child_by_field_name("declarator") for child in listed)
        if is_list and not declared.is_indirect and not is_typed:
            self.construct(walker, kind, type_term, node, [None] * len(listed))

    def construct(
        self,
        walker: Walker,
        kind: str,
        type_term: Term | None,
        node: Node,
        arguments: Sequence[Term | None],
    ) -> None:
        """Note the call of a constructor of a type with a name, if the language has any."""
        if self.has_signatures and type_term is not None and type_term[0] in _NAMED:
            walker.refer(kind, (CONSTRUCT, type_term), node, arguments)

    # --- statements and expressions

    def block(self, walker: Walker, node: Node, form: Form) -> None:
        """Visit a block; outside of functions it is a namespace after a macro, which is no word."""
        if walker.scope_kind in (FUNCTION_SCOPE, BLOCK):
            walker.visit_block(node, form, False)
        else:
            walker.visit_all(node)

    def lambda_(self, walker: Walker, node: Node, _form: Form) -> Term:
        """Visit a lambda; its body belongs to the function around it."""
        with walker.inside(FUNCTION_SCOPE):
            walker.visit_all(node)
        return (LAMBDA, None)

    def known_call(
        self, walker: Walker, node: Node, fn: Node, args: Node | None
    ) -> tuple[Term | None] | None:
        """Handle casts and makers of smart pointers, which are written like calls."""
        path = path_of(walker, fn)
        is_maker = bool(path) and path[-1] in _MAKERS
        if fn.type != "primitive_type" and not is_maker and (not path or path[-1] not in _CASTS):
            return None
        types = self._template_arguments(walker, fn, path)
        arguments = walker.arguments(args, None)
        if is_maker:
            walker.refer("calls", path_term(path), fn, arguments)
        if not types:
            return (None,)
        if is_maker:
            self.construct(walker, "calls", types[0], fn, arguments)
        return ((VALUE_OF, types[0]),)

    def construction(self, walker: Walker, node: Node, form: Form) -> Term | None:
        """Note the constructor that `new T(...)` calls, or `T{...}` if there is one.

        In a constructor, `name(...)` before the body calls that of a base."""
        of, listed = walker.child(node, form, "type"), walker.child(node, form, "args")
        is_type = node.type != "field_initializer"
        type_term = walker.type_term(of) if is_type else path_term(path_of(walker, of))
        arguments = walker.arguments(listed, None)
        kind = "calls?" if "unsure" in form.options else "calls"
        self.construct(walker, kind, type_term, node, arguments)
        return (VALUE_OF, type_term) if type_term is not None else None

    def assign_member(
        self,
        walker: Walker,
        term: Term,
        type_term: Term | None,
        value: Term | None,
        node: Node,
        target: Node,
    ) -> None:
        """Note an assignment to a member; a field of an instance is no relation."""
        walker.refer("assigns?", term, target)


def declarator(walker: Walker, node: Node | None) -> Declarator | None:
    """Return the parts of a declarator; None if it has no name."""
    function: Node | None = None
    is_indirect = is_callback = False
    while node is not None and node.type in _WRAPPERS:
        if node.type == "function_declarator":
            function, is_callback = node, False
        elif node.type in _INDIRECT:
            is_indirect, is_callback = True, function is not None
        inner = node.child_by_field_name("declarator")
        node = inner or next(iter(node.named_children), None)
    path = path_of(walker, node)
    function = None if is_callback else function
    return Declarator(path, function, is_indirect, is_callback) if path else None


def _last(node: Node) -> Node:
    """Return the last name of a name with qualifiers."""
    while node.type == "qualified_identifier":
        node = node.child_by_field_name("name") or node.children[-1]
    return node


def path_of(walker: Walker, node: Node | None) -> list[str]:
    """Return the parts of a name without template arguments; empty if it is no name.

    A leading :: is an empty part."""
    if node is None or node.type not in _PATHS:
        return []
    text = walker.text(node)
    if text.isidentifier():
        return [text]
    text = "".join(text.replace("template ", "").split())
    for _ in range(0 if "operator" in text else min(text.count("<"), MAX_NESTED_ARGUMENTS)):
        text = _TEMPLATE_ARGUMENTS.sub("", text)
    return text.split("::")


def path_term(path: list[str]) -> Term:
    """Return the term of a name with its qualifiers."""
    return dotted("::".join(path), "::")


def _specifiers(walker: Walker, node: Node) -> set[str]:
    """Return the words before the type of a declaration, such as static and const."""
    kinds = ("storage_class_specifier", "type_qualifier")
    return {walker.text(child) for child in node.children if child.type in kinds}
