"""C and C++: what their tables do not say. Declarators, constructors, namespaces and templates are
noted here; `cfamily_names` looks names up by includes and joins declarations with definitions."""

import re
from collections.abc import Sequence
from contextlib import nullcontext
from typing import NamedTuple

from tree_sitter import Language, Node, Parser

from ghostmem.outline.engine.extract import UNLIMITED, Walker, plain_children
from ghostmem.outline.engine.facts import (
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
    ELEMENT,
    GENERIC,
    IMPORT,
    LAMBDA,
    MAX_NESTED_ARGUMENTS,
    MEMBER,
    NAME,
    SYMBOL,
    TYPE_PARAMETER,
    VALUE_OF,
    Term,
    dotted,
)
from ghostmem.outline.languages.c_macros import blanked
from ghostmem.outline.languages.cfamily_names import FamilyNames

TABLE = """
preproc_include              hook fn=include
preproc_if,preproc_ifdef,preproc_elif hook fn=condition
enumerator                   hook fn=enumerator
function_definition          hook fn=definition
parameter_declaration,optional_parameter_declaration hook fn=parameter
declaration,field_declaration hook fn=declaration
type_definition              hook fn=typedef
struct_specifier,union_specifier,class_specifier,enum_specifier hook fn=record type_fn=record
compound_statement           hook fn=block
if_statement,for_statement,while_statement,switch_statement block
identifier,type_identifier   name
field_expression             hook fn=field
call_expression              call callee=function args=arguments
new_expression,compound_literal_expression hook fn=new
assignment_expression,update_expression hook fn=assignment
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
template_declaration         hook fn=template
alias_declaration            hook fn=alias
field_initializer            hook fn=initializer
for_range_loop               hook fn=loop
catch_clause                 block
lambda_expression            hook fn=lambda_
lambda_capture_initializer   bind name=left value=right
qualified_identifier         hook fn=qualified type_fn=written_type
template_type,template_function hook fn=qualified type_fn=written_type
dependent_type               same of=0
this                         this
operator_name,destructor_name,template_parameter_list skip
"""
_RECORDS = {"struct_specifier", "class_specifier", "union_specifier", "enum_specifier"}
_NAMES = {"identifier", "field_identifier", "type_identifier", "namespace_identifier"}
_WHOLE_NAMES = _NAMES | {"destructor_name", "operator_name"}
# what an assignment writes; an instance's field is no relation
_WRITABLE = {
    "identifier": "assigns",
    "qualified_identifier": "assigns",
    "field_expression": "assigns?",
}
_PARTS = {"subscript_expression", "field_expression", "parenthesized_expression"}
_INDIRECT = {"pointer_declarator", "reference_declarator"}
_WRAPPERS = _INDIRECT | {
    *("array_declarator", "init_declarator", "parenthesized_declarator", "attributed_declarator"),
    *("function_declarator", "bitfield_clause", "structured_binding_declarator"),
}
_DECLARATORS = _WRAPPERS | _WHOLE_NAMES | {"qualified_identifier"}
_PATHS = _WHOLE_NAMES | {
    *("qualified_identifier", "nested_namespace_specifier", "dependent_name"),
    *("template_type", "template_function", "template_method"),
}
_TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>")
_MAX_DECLARATORS = 64  # inside each other
_INITIALIZERS = ("argument_list", "initializer_list")
_CONSTANT = {"const", "constexpr", "constinit"}
_DEFINING = {"default_method_clause", "delete_method_clause", "try_statement"}
_CASTS = {"static_cast", "dynamic_cast", "reinterpret_cast", "const_cast"}
_MAKERS = {"make_unique": "unique_ptr", "make_shared": "shared_ptr", "make_optional": "optional"}
# macros of GoogleTest: the body is a method of a class that extends the first argument
_WITH_FIXTURE = {"TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"}
_ALIAS = form("type type=type")


class Declarator(NamedTuple):
    """The parts of a declarator: its name as a path, and what is around the name."""

    path: list[str]
    wrappers: list[str]
    function: Node | None  # if a function is declared, and no pointer to one
    is_callback: bool  # a pointer to a function

    @property
    def is_indirect(self) -> bool:
        """Tell whether this declares a pointer or a reference."""
        return not _INDIRECT.isdisjoint(self.wrappers)


class Family(FamilyNames):
    """The rules that C and C++ share."""

    # --- files and modules

    def parsed_again(self, root: Node, source: bytes) -> Node:
        """Parse again without the macros and directives that hide declarations."""
        plain = blanked(source)
        return root if plain == source else Parser(Language(self.grammar())).parse(plain).root_node

    def signature(self, walker: Walker, node: Node) -> str:
        """Return the text of a declaration before its body."""
        return walker.head(node, node.child_by_field_name("body"))[:160].rstrip(" {;=")

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
        path = (
            [] if any(child.type == "inline" for child in node.children) else path_of(walker, name)
        )
        first = len(walker.unit.symbols)
        self._enter(walker, node, path, body)
        for symbol in walker.unit.symbols[first:] if name is None else ():
            symbol.flags.add("hidden")

    def _enter(self, walker: Walker, node: Node, path: list[str], body: Node | None) -> None:
        if not path:
            if body is not None:
                walker.visit_all(body)
            return
        symbol = walker.declare(node, path[0], "module", "inline")
        with walker.inside(MODULE_SCOPE, symbol.number) as symbol.inner, walker.owned_by(symbol):
            self._enter(walker, node, path[1:], body)

    def using(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note `using a::b`, `using namespace a` and `namespace a = b::c`."""
        alias = node.child_by_field_name("name")
        path = next((path_of(walker, child) for child in node.named_children if child != alias), [])
        if alias is not None:
            term: Term = (IMPORT, "::".join(path), None)
            walker.bind(walker.text(alias), node.start_byte, None, term)
        elif any(child.type == "namespace" for child in node.children):
            walker.unit.stars.append("::".join(path))
        elif len(path) > 1:
            term = (IMPORT, "::".join(path[:-1]), path[-1])
            walker.bind(path[-1], node.start_byte, None, term)

    def template(self, walker: Walker, node: Node, _form: Form) -> None:
        """Remember the parameters of a template for its declaration."""
        parameters = node.child_by_field_name("parameters")
        names = []
        for parameter in parameters.named_children if parameters is not None else ():
            listed = [
                child for child in parameter.named_children if child.type == "type_identifier"
            ]
            names += [walker.text(child) for child in listed[:1]]
        for child in node.named_children:
            if child != parameters:
                walker.state["template"] = tuple(names)
                walker.visit(child)
        walker.state["template"] = ()

    # --- types

    def written_type(self, walker: Walker, node: Node, _form: Form | None = None) -> Term | None:
        """Return the term of a type with qualifiers or template arguments, and note it."""
        path = path_of(walker, node)
        if not path:
            return None
        arguments = self._template_arguments(walker, node, path)
        term = path_term(path)
        walker.refer("uses", term, node)
        return (GENERIC, term, tuple(arguments)) if arguments else term

    def _template_arguments(self, walker: Walker, node: Node, path: list[str]) -> list[Term | None]:
        """Note the template arguments at the end of a name, and its scope if that is a type."""
        listed = _last(node).child_by_field_name("arguments")
        if len(path) > 1 and path[0] not in ("std", ""):
            walker.refer("uses?", path_term(path[:-1]), node)
        return [walker.type_term(child) for child in listed.named_children] if listed else []

    def record(self, walker: Walker, node: Node, _form: Form) -> Term | None:
        """Declare a struct, class, union or enum with a body; without one it is used."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        typedef, walker.state["typedef"] = walker.state.get("typedef", ""), ""
        path = path_of(walker, name) or ([typedef] if typedef else [])
        if body is None:
            if not path:
                return None
            term = path_term([*path[:-1], self.tag(node, path[-1])])
            walker.refer("uses", term, node)
            return term
        is_enum = node.type == "enum_specifier"
        if not path:
            if is_enum or walker.scope_kind == CLASS:
                walker.visit_all(body)
            return None
        symbol = self._type(walker, node, path, name is not None)
        if is_enum:
            is_scoped = any(child.type in ("class", "struct") for child in node.children)
            symbol.flags.add("scoped enum" if is_scoped else "enum")
        for clause in node.named_children:
            for base in clause.named_children if clause.type == "base_class_clause" else ():
                if base_path := path_of(walker, base):
                    term = path_term(base_path)
                    symbol.bases.append(("extends", term, base.start_point[0] + 1, base.start_byte))
        symbol.type_parameters, walker.state["template"] = walker.state.get("template", ()), ()
        walker.type_body(symbol, body, _ALIAS, body)
        return (SYMBOL, symbol.number)

    def bases(self, walker: Walker, symbol: CodeSymbol, node: Node) -> None:
        """Bind the parameters of a template inside of its type or function."""
        for name in symbol.type_parameters:
            walker.bind(name, symbol.start, None, (TYPE_PARAMETER, name, None))

    def tag(self, node: Node, name: str) -> str:
        """Return the name of a struct, union or enum as it is bound."""
        return name

    def _type(
        self, walker: Walker, node: Node, path: list[str], tagged: bool, *flags: str
    ) -> CodeSymbol:
        symbol = walker.define(node, path[-1], "type", *flags)
        name = self.tag(node, path[-1]) if tagged else path[-1]
        if len(path) > 1:
            symbol.receiver = path_term(path[:-1])
        else:
            walker.bind_symbol(symbol, name, node.start_byte)
            self.spill(walker, symbol, name)
        return symbol

    def spill(self, walker: Walker, symbol: CodeSymbol, name: str) -> None:
        """Make a type visible around the type that it is declared in, if the language does so."""

    def enumerator(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare a constant, which is visible around its enum, unless that is a class."""
        name, scope = node.child_by_field_name("name"), walker.unit.scopes[walker.scope]
        flags = walker.unit.symbols[scope.symbol].flags if scope.kind == CLASS else set()
        is_named = not flags.isdisjoint(("enum", "scoped enum"))
        term: Term | None = (SYMBOL, scope.symbol) if is_named else None
        if name is not None:
            symbol = walker.define(node, walker.text(name), "constant")
            for home in (walker.scope, scope.parent) if "enum" in flags else (walker.scope,):
                walker.bind(symbol.name, node.start_byte, term, None, symbol.number, home=home)
        walker.visit(node.child_by_field_name("value"))

    def typedef(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare typedefs; one that only repeats the name of its struct is no second symbol."""
        typed = node.child_by_field_name("type")
        is_record = typed is not None and typed.type in _RECORDS
        tag = typed.child_by_field_name("name") if typed is not None and is_record else None
        has_body = typed is not None and is_record and typed.child_by_field_name("body") is not None
        listed = [declarator(walker, child) for child in node.children_by_field_name("declarator")]
        declarators = [each for each in listed if each is not None]
        if declarators and has_body and tag is None:
            walker.state["typedef"] = declarators.pop(0).path[-1]
        term = walker.type_term(typed) if has_body or not declarators else None
        for declared in declarators:
            if tag is not None and walker.text(tag) == declared.path[-1] and term is not None:
                walker.bind(declared.path[-1], node.start_byte, None, term)
                continue
            symbol = self._type(walker, node, declared.path, False, "alias")
            walker.type_body(symbol, None, None if has_body else _ALIAS, node)
            if term is not None:
                symbol.underlying = term
                if tag is not None and typed is not None:
                    symbol.underlying = path_term([self.tag(typed, walker.text(tag))])
                with walker.owned_by(symbol):
                    walker.refer("uses", symbol.underlying, node)
            if declared.function is not None or declared.is_callback:
                symbol.underlying = None

    def alias(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare `using T = ...`."""
        name = node.child_by_field_name("name")
        if name is not None:
            symbol = self._type(walker, node, [walker.text(name)], False, "alias")
            walker.type_body(symbol, None, _ALIAS, node)

    # --- functions and variables

    def definition(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare a function with a body."""
        declared = declarator(walker, node.child_by_field_name("declarator"))
        typed, body = node.child_by_field_name("type"), node.child_by_field_name("body")
        if declared is None or declared.function is None:
            walker.type_term(typed)
            walker.visit(body)
            return
        before = [
            child
            for child in node.named_children
            if child.type in ("field_initializer_list", "declaration", "try_statement")
        ]
        self._function(walker, node, declared, typed, [*before, *([body] if body else [])])

    def _function(
        self,
        walker: Walker,
        node: Node,
        declared: Declarator,
        typed: Node | None,
        parts: Sequence[Node],
    ) -> None:
        """Declare a function or method, with its body or without."""
        symbol = self._function_symbol(walker, node, declared, typed)
        symbol.type_parameters, walker.state["template"] = walker.state.get("template", ()), ()
        listed = declared.function.named_children if declared.function is not None else []
        trailing = [child for child in listed if child.type == "trailing_return_type"]
        function = walker.function
        with walker.inside(FUNCTION_SCOPE, symbol.number) as symbol.inner, walker.owned_by(symbol):
            walker.function = symbol
            self.bases(walker, symbol, node)
            symbol.result = walker.type_term(trailing[0] if trailing else typed)
            self._parameters(walker, declared.function, symbol)
            for part in parts:
                walker.visit_all(part)
        walker.function = function

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

    def _parameters(self, walker: Walker, function: Node | None, symbol: CodeSymbol) -> None:
        """Bind the parameters of a function; note how many arguments it takes, and their types."""
        listed = function.child_by_field_name("parameters") if function is not None else None
        symbol.detail = []
        for node in listed.children if listed is not None else ():
            if node.type in ("...", "variadic_parameter", "variadic_parameter_declaration"):
                symbol.max_arguments = UNLIMITED
            elif node.type in ("parameter_declaration", "optional_parameter_declaration"):
                typed = node.child_by_field_name("type")
                text = " ".join(walker.text(typed).split()) if typed is not None else ""
                if text != "void" or node.child_by_field_name("declarator") is not None:
                    symbol.detail.append(text.rpartition("::")[2])
                    symbol.min_arguments += node.type == "parameter_declaration"
                    symbol.max_arguments += 1
                    walker.visit(node)

    def parameter(self, walker: Walker, node: Node, _form: Form) -> None:
        """Bind a parameter."""
        type_term = walker.type_term(node.child_by_field_name("type"))
        walker.visit(node.child_by_field_name("default_value"))
        declared = declarator(walker, node.child_by_field_name("declarator"))
        self._bind_local(walker, declared, type_term, None, node.start_byte)

    @staticmethod
    def _bind_local(
        walker: Walker,
        declared: Declarator | None,
        type_term: Term | None,
        value: Term | None,
        position: int,
    ) -> None:
        """Bind a local; a pointer to a function has no type."""
        if declared is not None:
            known = (None, None) if declared.is_callback else (type_term, value)
            walker.bind(declared.path[-1], position, *known)

    def declaration(self, walker: Walker, node: Node, _form: Form) -> None:
        """Declare functions and variables; inside of a body bind locals."""
        typed = node.child_by_field_name("type")
        declarators = node.children_by_field_name("declarator")
        if walker.scope_kind not in (CLASS, MODULE_SCOPE) and walker.scope:
            self._locals(walker, node, typed, declarators)
            return
        has_body = typed is not None and typed.child_by_field_name("body") is not None
        if typed is not None and typed.type in _RECORDS and not declarators and not has_body:
            return  # declared before its definition
        shared = walker.type_term(typed) if has_body else None
        template = walker.state.get("template", ())
        for child in declarators:
            walker.state["template"] = template
            declared = declarator(walker, child)
            if declared is not None and declared.function is not None:
                self._function(walker, node, declared, None if has_body else typed, ())
            elif declared is not None:
                self._variable(walker, node, child, declared, shared or typed)

    def _variable(
        self,
        walker: Walker,
        node: Node,
        child: Node,
        declared: Declarator,
        typed: Node | Term | None,
    ) -> None:
        """Declare a variable, constant or field; its initial value belongs to what is around it."""
        words, in_type = _specifiers(walker, node), walker.scope_kind == CLASS
        value = child.child_by_field_name("value") or node.child_by_field_name("default_value")
        is_field = in_type and "static" not in words
        is_constant = (
            not _CONSTANT.isdisjoint(words) and "pointer_declarator" not in declared.wrappers
        )
        kind = "field" if is_field else "constant" if is_constant else "variable"
        symbol = walker.define(node, declared.path[-1], kind)
        is_declared = value is None and ("extern" in words or (in_type and not is_field))
        is_static = "static" in words and not in_type
        marks = {"declared": is_declared, "static": is_static, "indirect": declared.is_indirect}
        symbol.flags |= {flag for flag, holds in marks.items() if holds}
        with nullcontext() if is_field else walker.owned_by(symbol):
            type_term = typed if isinstance(typed, tuple) else walker.type_term(typed)
        term = walker.visit(value)
        if not is_field and value is not None and value.type in _INITIALIZERS:
            self._constructed(walker, declared, value, type_term, node)
        if len(declared.path) > 1:
            symbol.receiver = path_term(declared.path[:-1])
        else:
            known = (type_term, term if type_term is None else None)
            known = (None, None) if declared.is_callback else known
            walker.bind(declared.path[-1], child.start_byte, *known, symbol.number)

    def _locals(
        self,
        walker: Walker,
        node: Node,
        typed: Node | None,
        declarators: Sequence[Node],
    ) -> None:
        """Bind the locals of a declaration, each after its value."""
        type_term = walker.type_term(typed)
        for child in declarators:
            value = child.child_by_field_name("value") or node.child_by_field_name("value")
            declared = declarator(walker, child)
            term = walker.visit(value)
            function = declared.function if declared is not None else None
            if function is not None:  # T name(a, b) calls a constructor if these are no types
                listed = plain_children(function.child_by_field_name("parameters"))
                if listed and not any(
                    parameter.child_by_field_name("declarator") for parameter in listed
                ):
                    self.construct(walker, "calls", type_term, node, [None] * len(listed))
            elif declared is not None and (value is None or value.type in _INITIALIZERS):
                self._constructed(walker, declared, value, type_term, node)
            inner = child.child_by_field_name("declarator") or child
            if inner.type == "structured_binding_declarator":
                for name in inner.named_children:
                    walker.bind(walker.text(name), node.start_byte)
            value_term = term if type_term is None else None
            self._bind_local(walker, declared, type_term, value_term, child.end_byte)

    def _constructed(
        self,
        walker: Walker,
        declared: Declarator,
        value: Node | None,
        type_term: Term | None,
        node: Node,
    ) -> None:
        """Note the constructor that a declaration calls; without arguments only if there is one."""
        if not declared.is_indirect:
            is_sure = value is not None and value.type == "argument_list"
            arguments = [None] * len(plain_children(value))
            self.construct(walker, "calls" if is_sure else "calls?", type_term, node, arguments)

    def construct(
        self,
        walker: Walker,
        kind: str,
        type_term: Term | None,
        node: Node,
        arguments: Sequence[Term | None],
    ) -> None:
        """Note the call of a constructor, if the language has any."""

    def initializer(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note the constructor of a base that a constructor calls."""
        name, *more = node.named_children
        if path := path_of(walker, name):
            arguments = [argument for part in more for argument in walker.arguments(part, None)]
            walker.refer("calls?", (CONSTRUCT, path_term(path)), name, arguments)

    # --- statements and expressions

    def block(self, walker: Walker, node: Node, form: Form) -> None:
        """Visit a block; outside of functions it is a namespace after a macro, which is no word."""
        if walker.scope_kind in (FUNCTION_SCOPE, BLOCK):
            walker.visit_block(node, form, False)
        else:
            walker.visit_all(node)

    def loop(self, walker: Walker, node: Node, _form: Form) -> None:
        """Bind the variable of a loop to the elements of its range."""
        typed, name, right, body = (
            node.child_by_field_name(key) for key in ("type", "declarator", "right", "body")
        )
        with walker.inside(BLOCK):
            type_term, term = walker.type_term(typed), walker.visit(right)
            value = (ELEMENT, term) if term is not None else None
            self._bind_local(walker, declarator(walker, name), type_term, value, node.start_byte)
            walker.visit(body)

    def lambda_(self, walker: Walker, node: Node, _form: Form) -> Term:
        """Visit a lambda; its body belongs to the function around it."""
        with walker.inside(FUNCTION_SCOPE):
            walker.visit_all(node)
        return (LAMBDA, None)

    def field(self, walker: Walker, node: Node, _form: Form) -> Term | None:
        """Note the read of a member."""
        quiet = walker.quiet
        base = walker.visit(node.child_by_field_name("argument"))
        field, operator = (node.child_by_field_name(key) for key in ("field", "operator"))
        path = path_of(walker, field)
        if field is None or operator is None or not path:
            return None
        walker.type_term(field.child_by_field_name("arguments"))
        term: Term = (MEMBER, base, path[-1], walker.text(operator))
        if not quiet:
            walker.refer("reads?", term, node)
        return term

    def qualified(self, walker: Walker, node: Node, _form: Form) -> Term | None:
        """Note a name with qualifiers or template arguments: a type, or a value."""
        quiet = walker.quiet
        if _last(node).type in ("type_identifier", "template_type"):
            return self.written_type(walker, node)
        path = path_of(walker, node)
        if not path:
            return None
        self._template_arguments(walker, node, path)
        if not quiet:
            walker.refer("reads", path_term(path), node)
        return path_term(path)

    def known_call(
        self, walker: Walker, node: Node, fn: Node, args: Node | None
    ) -> tuple[Term | None] | None:
        """Handle casts and makers of smart pointers, which are written like calls."""
        path = path_of(walker, fn)
        name = path[-1] if path else ""
        if fn.type == "primitive_type" or name in _CASTS:
            types = self._template_arguments(walker, fn, path)
            walker.arguments(args, None)
            return ((VALUE_OF, types[0]) if types else None,)
        if name not in _MAKERS or not (types := self._template_arguments(walker, fn, path)):
            return None
        arguments = walker.arguments(args, None)
        walker.refer("calls", path_term(path), fn, arguments)
        self.construct(walker, "calls", types[0], fn, arguments)
        return ((VALUE_OF, (GENERIC, path_term(["std", _MAKERS[name]]), (types[0],))),)

    def new(self, walker: Walker, node: Node, _form: Form) -> Term | None:
        """Note the constructor that `new T(...)` calls, or `T{...}` if there is one."""
        type_term = walker.type_term(node.child_by_field_name("type"))
        listed = node.child_by_field_name("arguments") or node.child_by_field_name("value")
        arguments = walker.arguments(listed, None)
        if type_term is None:
            return None
        kind = "calls" if node.type == "new_expression" else "calls?"
        self.construct(walker, kind, type_term, node, arguments)
        return (VALUE_OF, type_term)

    def assignment(self, walker: Walker, node: Node, _form: Form) -> Term | None:
        """Note the write of a name; with another operator than `=` it is read besides."""
        target = node.child_by_field_name("left") or node.child_by_field_name("argument")
        operator = node.child_by_field_name("operator")
        is_plain = operator is not None and walker.text(operator) == "="
        term = walker.visit(node.child_by_field_name("right"))
        variable = _written(walker, target)
        if variable != target:
            walker.visit(target)
        written = walker.visit(variable, quiet=is_plain or variable != target)
        if variable is not None and written is not None and variable.type in _WRITABLE:
            walker.refer(_WRITABLE[variable.type], written, variable)
        return term


def _written(walker: Walker, node: Node | None) -> Node | None:
    """Return the variable that a write changes if it changes an element or a part of it."""
    while node is not None and node.type in _PARTS:
        inner = node.named_children[0] if node.named_children else None
        operator = node.child_by_field_name("operator")
        is_pointer = operator is not None and walker.text(operator) == "->"
        if is_pointer or inner is None or inner.type == "this":
            break
        node = inner
    return node


def declarator(walker: Walker, node: Node | None) -> Declarator | None:
    """Return the parts of a declarator; None if it has no name."""
    function: Node | None = None
    wrappers: list[str] = []
    is_callback = False
    while node is not None and node.type in _WRAPPERS and len(wrappers) < _MAX_DECLARATORS:
        if node.type == "function_declarator":
            function, is_callback = node, False
        elif node.type == "pointer_declarator" and function is not None:
            is_callback = is_callback or wrappers[-1] == "parenthesized_declarator"
        wrappers.append(node.type)
        node = node.child_by_field_name("declarator") or next(
            (child for child in node.named_children if child.type in _DECLARATORS), None
        )
    path = path_of(walker, node)
    function = None if is_callback else function
    return Declarator(path, wrappers, function, is_callback) if path else None


def _last(node: Node) -> Node:
    """Return the last name of a name with qualifiers."""
    inner: Node | None = node
    while inner is not None and inner.type == "qualified_identifier":
        node, inner = inner, inner.child_by_field_name("name")
    return inner or node


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
