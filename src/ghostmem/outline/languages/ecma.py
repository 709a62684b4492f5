"""TypeScript and JavaScript: the table of their grammars, modules, and parts of the library."""

import re

from tree_sitter import Node

from ghostmem.outline.engine.extract import Walker
from ghostmem.outline.engine.facts import (
    B_SYMBOL,
    CLASS,
    END,
    FILE,
    FILE_SCOPE,
    MODULE_SCOPE,
    NO_SYMBOL,
    CodeSymbol,
    FoundBinding,
    Unit,
)
from ghostmem.outline.engine.language import Rules
from ghostmem.outline.engine.link import Target
from ghostmem.outline.engine.resolve import TYPES, Resolver
from ghostmem.outline.engine.table import Form, form, read_table, words_of
from ghostmem.outline.engine.terms import (
    GENERIC,
    IMPORT,
    MEMBER,
    MODULE,
    NAME,
    OUTSIDE,
    OUTSIDE_INSTANCE,
    SYMBOL,
    THIS,
    VALUE_OF,
    Term,
    Value,
    union,
)
from ghostmem.outline.languages.ecma_paths import Paths

_FUNCTION = "params=parameters result=return_type body=body type_params=type_parameters"
TABLE = read_table("""
import_statement             hook fn=import_statement
import_alias                 skip
export_statement             hook fn=export_statement
function_declaration,generator_function_declaration,function_signature hook fn=method
function_expression,generator_function,function,arrow_function hook fn=arrow_function
method_definition,method_signature,abstract_method_signature hook fn=method
class_declaration,abstract_class_declaration,class type name=name body=body \
    type_params=type_parameters
interface_declaration        type name=name body=body type_params=type_parameters kind=interface
type_alias_declaration       hook fn=type_alias
enum_declaration             type name=name body=body
internal_module,module       hook fn=namespace
public_field_definition,field_definition,property_signature hook fn=field
required_parameter           param name=pattern type=type value=value
optional_parameter           param name=pattern type=type value=value optional
rest_pattern                 same of=0
lexical_declaration,variable_declaration hook fn=variables
assignment_expression        hook fn=assignment
augmented_assignment_expression assign left=left right=right read
update_expression            assign left=argument read
for_in_statement             range left=left right=right body=body
catch_clause                 range left=parameter body=body
statement_block,for_statement,switch_body block
return_statement             return
identifier,type_identifier,shorthand_property_identifier name
property_identifier,private_property_identifier skip
shorthand_property_identifier_pattern name
member_expression            member of=object name=property
nested_type_identifier       member of=module name=name
nested_identifier            member of=object name=property
call_expression              call callee=function args=arguments type_args=type_arguments
new_expression               new type=constructor args=arguments type_args=type_arguments
subscript_expression         index of=object
as_expression,satisfies_expression cast type=1 of=0 kept
type_assertion               cast type=0 of=1
await_expression,non_null_expression,parenthesized_expression same of=0
binary_expression            either
ternary_expression           either test=condition
this,this_type               this
super                        super
array                        list
array_pattern                tuple
object_pattern               same of=-1
call_signature,construct_signature lambda params=parameters result=return_type \
    type_params=type_parameters
pair                         same of=value
string                       literal is=String
template_string              literal is=String walked
number                       literal is=Number
true,false                   literal is=Boolean
regex                        literal is=RegExp
object                       hook fn=object
decorator,jsx_opening_element,jsx_self_closing_element hook fn=called
generic_type                 generic of=name flat
array_type                   listtype of=0
readonly_type,parenthesized_type,type_annotation,optional_type,rest_type same of=0
union_type,intersection_type uniontype
tuple_type                   tupletype
function_type,constructor_type functype params=parameters result=return_type \
    type_params=type_parameters
object_type                  record
predefined_type,literal_type,type_query notype
infer_type,type_predicate,asserts       notype
type_parameter               typeparam bound=constraint
extends_clause,implements_clause,extends_type_clause,jsx_closing_element skip
comment,labeled_statement_identifier,statement_identifier skip
""")
ARROW, METHOD = form(f"lambda {_FUNCTION} arrow"), form(f"func name=name {_FUNCTION}")
SINGLE = form("lambda params=parameter body=body arrow")
ALIAS = form("type name=name type=value type_params=type_parameters")
ASSIGN = form("assign left=left right=right")
FUNCTIONS = {"arrow_function", "function_expression", "function", "generator_function"}
SIGNATURES = {"function_signature", "method_signature", "abstract_method_signature"}
WRAPPERS = {
    "parenthesized_expression", "as_expression", "satisfies_expression", "assignment_expression",
}  # fmt: skip
# parents of an object whose functions are symbols
HOLDERS = {"variable_declarator", "return_statement", "arrow_function", "export_statement"}
FIELD_MODIFIERS = {"accessibility_modifier", "readonly", "override_modifier"}
REQUIRED = re.compile(rb"require\([^()]*\)[\w.]*")
EXPORTED = re.compile(rb"(module\.)?exports\s*=[^=>].*", re.DOTALL)
MODULE_EXPORTS = (MEMBER, (NAME, "module"), "exports")
WORDS = words_of("ecma.txt")
NATIVE = WORDS["types"] | WORDS["values"] | WORDS["modules"]
IGNORED = frozenset("arguments NaN Infinity exports module undefined this".split())
# types of the library whose last type argument is that of their elements
COLLECTIONS = frozenset(
    "Array ReadonlyArray Set ReadonlySet Iterable IterableIterator Iterator Generator "
    "AsyncIterable AsyncIterableIterator AsyncGenerator ArrayLike "
    "Map ReadonlyMap WeakMap Record".split()
)


class Ecma(Rules):
    """The rules of TypeScript and JavaScript."""

    forms = TABLE
    constructor = "constructor"
    leaves_members = False
    shows_first_line = leaves_imports = inherits_constructors = True
    unpacks = merges_declarations = properties_are_called = True
    # a promise is taken for its value
    containers = dict.fromkeys(
        "Partial Required Readonly NonNullable Omit Pick Promise PromiseLike Awaited".split(),
        "same",
    )

    # --- modules

    def import_statement(self, walker: Walker, node: Node, _form: Form) -> None:
        """Bind the names of an import statement."""
        clauses = node.named_children
        sources = [part.child_by_field_name("source") for part in (node, *clauses)]
        path = _text_in(walker, next(filter(None, sources), None))
        for child in (part for clause in clauses for part in clause.named_children):
            if child.type == "identifier":
                walker.bind(walker.text(child), 0, None, (IMPORT, path, "default"))
            elif child.type == "namespace_import":
                walker.bind(walker.text(child.named_children[0]), 0, None, (IMPORT, path, None))
            else:
                for name, alias in _specifiers(walker, child):
                    walker.bind(alias, 0, None, (IMPORT, path, name))
        walker.import_path(path, node)

    def export_statement(self, walker: Walker, node: Node, _form: Form) -> None:
        """Note the names that are exported, and visit what is declared."""
        exports = walker.unit.exports
        path = _text_in(walker, node.child_by_field_name("source"))
        words = {child.type: child for child in node.children}
        listed = _specifiers(walker, words["export_clause"]) if "export_clause" in words else []
        if "namespace_export" in words:
            listed = [(None, walker.text(words["namespace_export"].named_children[0]))]
        for name, alias in listed:
            exports[alias] = f"export {alias}" if path else name
            if path:
                walker.bind(exports[alias], 0, None, (IMPORT, path, name))
        if path:
            walker.import_path(path, node)
        if path and not listed:
            exports.setdefault("*", []).append(path)
        self._decorated(walker, node)
        count = len(walker.unit.symbols)
        declared, value = (node.child_by_field_name(key) for key in ("declaration", "value"))
        if declared is not None:
            walker.visit(declared)
            if "default" in words and len(walker.unit.symbols) > count:
                exports["default"] = walker.unit.symbols[count].name
        elif value is not None or "=" in words:
            self._export_value(walker, node, value or node.named_children[-1])

    def _export_value(
        self, walker: Walker, node: Node, value: Node, name: str = "default"
    ) -> Term | None:
        """`export default value`, `module.exports = value`, `exports.a = value`."""
        exports = walker.unit.exports
        if value.type in FUNCTIONS:
            own_name = _key(walker, value.child_by_field_name("name")) if name == "default" else ""
            exports[name] = own_name or name
            return (SYMBOL, self.callable(walker, node, exports[name], value).number)
        term = walker.visit(value)
        exports[name] = f"exports.{name}"
        if value.type == "identifier":
            exports[name] = walker.text(value)
        else:
            walker.bind(exports[name], node.start_byte, None, term, home=0)
        return term

    def known_call(
        self, walker: Walker, node: Node, fn: Node, args: Node | None
    ) -> tuple[Term | None] | None:
        """Handle `require("path")` and `import("path")`."""
        first = args.named_children[0] if args is not None and args.named_children else None
        text = walker.text(fn) if fn.end_byte - fn.start_byte < 8 else ""
        if text not in ("require", "import") or first is None or first.type != "string":
            return None
        walker.import_path(_text_in(walker, first), node)
        return ((IMPORT, _text_in(walker, first), "default" if text == "require" else None),)

    # --- declarations

    def _bind_overloaded(self, walker: Walker, symbol: CodeSymbol) -> None:
        """Bind a function; signatures of its name before it become a part of it."""
        bindings = walker.unit.scopes[walker.scope].names.setdefault(symbol.name, [])
        for number in {binding[B_SYMBOL] for binding in bindings} - {NO_SYMBOL}:
            earlier = walker.unit.symbols[number]
            if "signature" in earlier.flags:
                earlier.parent = symbol.number
                earlier.flags.add("inline")
                bindings.clear()
        if "set" not in symbol.flags or not bindings:  # a property is its getter
            walker.bind_symbol(symbol, symbol.name, symbol.start)

    def function(self, walker: Walker, symbol: CodeSymbol, node: Node) -> None:
        """Note the fields that are parameters."""
        parameters = node.child_by_field_name("parameters")
        with walker.owned_by(symbol):
            for child in parameters.named_children if parameters is not None else ():
                self._decorated(walker, child)
                if FIELD_MODIFIERS & {part.type for part in child.children}:
                    text = _key(walker, child.child_by_field_name("pattern"))
                    type_term = walker.type_term(child.child_by_field_name("type"))
                    field = walker.define(child, text, "field")
                    walker.bind(text, child.start_byte, type_term, None, field.number)

    def arrow_function(self, walker: Walker, node: Node, _form: Form) -> Term | None:
        """A function literal."""
        return walker.visit_lambda(node, _arrow_form(node), False)

    def method(self, walker: Walker, node: Node, _form: Form) -> Term | None:
        """A function, or a method of a class, an interface or an object."""
        text = _key(walker, node.child_by_field_name("name"))
        if not text:
            return walker.visit_lambda(node, ARROW, False)
        walker.flags = {child.type for child in node.children} & {"static", "get", "set"}
        if walker.flags & {"get", "set"}:
            walker.flags.add("property")
        if node.type in SIGNATURES:
            walker.flags.add("signature")
        symbol = walker.define(node, text, "method" if walker.scope_kind == CLASS else "function")
        self._bind_overloaded(walker, symbol)
        walker.function_body(symbol, node, METHOD)
        return (SYMBOL, symbol.number)

    def callable(self, walker: Walker, node: Node, name: str, value: Node) -> CodeSymbol:
        """A function that is the value of a name."""
        symbol = walker.declare(node, name, "method" if walker.scope_kind == CLASS else "function")
        walker.function_body(symbol, value, _arrow_form(value))
        return symbol

    def field(self, walker: Walker, node: Node, _form: Form) -> None:
        """A field of a class or an interface."""
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        value, text = node.child_by_field_name("value"), _key(walker, name)
        self._decorated(walker, node)
        if not text:
            walker.visit(value)
            return
        type_term = walker.type_term(node.child_by_field_name("type"))
        if "inline" in walker.unit.symbols[walker.owner_type].flags:  # a type written in place
            walker.bind(text, node.start_byte, type_term)
            return
        walker.flags = {"static"} & {child.type for child in node.children}
        if node.type == "property_signature":
            walker.flags.add("accessor")  # a function, perhaps, that is called as a method is
        self._variable(walker, node, text, "field", type_term, value)

    def bases(self, walker: Walker, symbol: CodeSymbol, node: Node) -> None:
        """Note what a class or an interface extends and implements."""
        if node.type == "enum_declaration" and (body := node.child_by_field_name("body")):
            for child in body.named_children:
                text = _key(walker, child.child_by_field_name("name") or child)
                if text and not child.is_extra:
                    walker.declare(child, text, "constant", "static")
        self._decorated(walker, node)
        for child in node.named_children:
            if child.type in ("class_heritage", "extends_type_clause"):
                self._heritage(walker, symbol, child)

    def _heritage(self, walker: Walker, symbol: CodeSymbol, clause: Node) -> None:
        """Note the bases in a clause, or in those that it consists of."""
        relation = "implements" if clause.type == "implements_clause" else "extends"
        types = clause.child_by_field_name("type_arguments")
        for base in clause.children_by_field_name("value") or clause.named_children:
            if base.type in ("extends_clause", "implements_clause"):
                self._heritage(walker, symbol, base)
            elif (term := walker.base(symbol, relation, base)) and types is not None:
                listed = tuple(walker.type_term(argument) for argument in types.named_children)
                symbol.bases[-1] = (relation, (GENERIC, term, listed), *symbol.bases[-1][2:])

    def type_alias(self, walker: Walker, node: Node, _form: Form) -> None:
        """A name for a type; an object type is one of its own."""
        value = node.child_by_field_name("value")
        if value is not None and value.type != "object_type":
            walker.flags = {"alias"}
        walker.visit_type(node, ALIAS, False)

    def namespace(self, walker: Walker, node: Node, _form: Form) -> None:
        """A namespace, whose variables are symbols."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        walker.type_body(
            walker.declare(node, _key(walker, name), "module"), body, scope_kind=MODULE_SCOPE
        )

    def variables(self, walker: Walker, node: Node, _form: Form) -> None:
        """The names of a const, let or var."""
        declarators = [
            child for child in node.named_children if child.type == "variable_declarator"
        ]
        kind = "constant" if walker.source.startswith(b"const", node.start_byte) else "variable"
        for declarator in declarators:
            self._declarator(
                walker, declarator, node if len(declarators) == 1 else declarator, kind
            )

    def _variable(
        self,
        walker: Walker,
        node: Node,
        name: str,
        kind: str,
        type_term: Term | None,
        value: Node | None,
    ) -> None:
        """A variable or a field with its value; without a kind it is no symbol.

        A function is a symbol in any case."""
        if value is not None and value.type in FUNCTIONS:
            self.callable(walker, node, name, value)
            return
        number = walker.define(node, name, kind).number if kind else NO_SYMBOL
        term = walker.visit(value)
        position = 0 if term is not None and term[0] == IMPORT else node.start_byte
        walker.bind(name, position, type_term, term, number)

    def _declarator(self, walker: Walker, node: Node, declaration: Node, kind: str) -> None:
        name, value = node.child_by_field_name("name") or node, node.child_by_field_name("value")
        text = walker.text(name)
        type_term = walker.type_term(node.child_by_field_name("type"))
        while value is not None and _matches(EXPORTED, walker, value):  # a = module.exports = value
            walker.unit.exports["default"] = text
            value = value.child_by_field_name("right")
        if name.type == "identifier":
            is_shared = walker.scope_kind in (FILE_SCOPE, MODULE_SCOPE)
            kind = kind if is_shared and not _matches(REQUIRED, walker, value) else ""
            self._variable(walker, declaration, text, kind, type_term, value)
            return
        term = walker.visit(value)
        term = term if type_term is None else (VALUE_OF, type_term)
        self._declare_pattern(walker, name, declaration, kind, term)

    def _declare_pattern(
        self, walker: Walker, node: Node, declaration: Node, kind: str, term: Term | None
    ) -> None:
        """Bind the names of a pattern; in a file they are symbols."""
        is_import = term is not None and term[0] == IMPORT
        names = walker.unit.scopes[walker.scope].names
        before = set(names)
        walker.pattern(node, term, None, 0 if is_import else declaration.end_byte)
        if walker.scope_kind not in (FILE_SCOPE, MODULE_SCOPE) or is_import:
            return
        for name in [bound for bound in names if bound not in before]:
            symbol = walker.define(declaration, name, kind)
            names[name] = [(*binding[:5], symbol.number) for binding in names[name]]

    def pattern(self, walker: Walker, node: Node, value: Term | None, position: int) -> None:
        """Bind the names of an object pattern, or of one with default values."""
        if node.type == "object_pattern":
            for child in node.named_children:
                key = child.child_by_field_name("key") or child.child_by_field_name("left")
                name = _key(walker, key or child)
                part: Term | None = (MEMBER, value, name) if value is not None else None
                if value is not None and value[0] == IMPORT and value[2] == "default":
                    part = (IMPORT, value[1], name)
                walker.pattern(child.child_by_field_name("value") or child, part, None, position)
        elif node.type in ("assignment_pattern", "object_assignment_pattern"):
            default = walker.visit(node.child_by_field_name("right"))
            if (left := node.child_by_field_name("left")) is not None:
                walker.pattern(left, value or default, None, position)
        else:
            super().pattern(walker, node, value, position)

    # --- statements and expressions

    def assignment(self, walker: Walker, node: Node, _form: Form) -> Term | None:
        """`a = b`; a member that is assigned a function is declared."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        term = walker.path_term(left) if walker.role(left) == "member" else None
        if right is None or term is None:
            return walker.visit_assign(node, ASSIGN, False)
        if term == MODULE_EXPORTS:
            return self._export_value(walker, node, right)
        base = term[1]
        if base in ((NAME, "exports"), MODULE_EXPORTS):
            return self._export_value(walker, node, right, term[2])
        owner = base[1] if base is not None and base[2:] == ("prototype",) else base
        is_named = right.type in FUNCTIONS and owner is not None and owner[0] == NAME
        if not is_named or walker.home_of(owner[1], walker.scope, node.start_byte) < 0:
            return walker.visit_assign(node, ASSIGN, False)
        symbol = walker.define(node, term[2], "method")  # A.a = function, A.prototype.a = function
        symbol.receiver = owner
        walker.function_body(symbol, right, _arrow_form(right))
        return (SYMBOL, symbol.number)

    def assign_member(
        self,
        walker: Walker,
        term: Term,
        type_term: Term | None,
        value: Term | None,
        node: Node,
        target: Node,
    ) -> None:
        """Note the value of a field."""
        walker.refer("assigns", term, target)
        if term[1] == (THIS,) and walker.owner_type != FILE and value is not None:
            home = walker.unit.symbols[walker.owner_type].inner
            walker.bind(term[2], node.start_byte, type_term, value, home=home, end=1)

    def object(self, walker: Walker, node: Node, _form: Form) -> Term:
        """An object; its functions are symbols if a variable, a function or an export holds it."""
        around = node.parent
        while around is not None and around.type in WRAPPERS:
            around = around.parent
        is_held = around is not None and (
            around.type in HOLDERS or _matches(EXPORTED, walker, around)
        )
        last = walker.unit.symbols[-1:]  # the variable, if it is one
        name = around.child_by_field_name("name") if around is not None else None
        symbol = walker.define(node, "(object)", "type", "inline")
        symbol.parent = walker.owner
        if name is not None and last and last[0].name == walker.text(name):
            symbol.parent = last[0].number
        outer = walker.scope
        with walker.inside(CLASS, symbol.number) as symbol.inner:
            for child in node.named_children:
                self._property(walker, child, outer, is_held)
        return (VALUE_OF, (SYMBOL, symbol.number))

    def _property(self, walker: Walker, node: Node, outer: int, is_held: bool) -> None:
        value = node.child_by_field_name("value") if node.type == "pair" else node
        key = node.child_by_field_name("key") or node.child_by_field_name("name")
        name = _key(walker, key or node)
        if value is None or not name:
            walker.visit(value)
        elif value.type in FUNCTIONS and is_held:
            self.callable(walker, node, name, value)
        elif value.type == "method_definition" and is_held:
            self.method(walker, node, METHOD)
        else:
            inner, walker.scope = walker.scope, outer
            is_method = value.type == "method_definition"
            term = walker.visit_lambda(value, ARROW, False) if is_method else walker.visit(value)
            walker.bind(name, node.start_byte, None, term, home=inner)
            walker.scope = inner

    def called(self, walker: Walker, node: Node, _form: Form) -> None:
        """A decorator, or an element of JSX, which calls its component."""
        name = node.child_by_field_name("name") or next(iter(node.named_children), None)
        for child in node.named_children:
            if child != name or walker.role(child) not in ("name", "member"):
                walker.visit(child)
            elif (
                (node.type == "decorator" or child.type != "identifier")
                or walker.text(child)[:1].isupper()
            ) and (term := walker.visit(child, quiet=True)) is not None:
                walker.refer("calls", term, child, ())

    def _decorated(self, walker: Walker, node: Node) -> None:
        """Visit the decorators of a member."""
        for child in node.named_children:
            if child.type == "decorator":
                walker.visit(child)

    # --- linking

    def begin_linking(self, resolver: Resolver) -> None:
        """Prepare the search for modules."""
        self.paths = Paths(resolver.units, resolver.read)
        self.exports: dict[tuple[str, str], list[FoundBinding]] = {}

    def canonical(self, _resolver: Resolver, symbol: CodeSymbol) -> tuple[str, str]:
        """Return the path of the file without its suffix, and the names in it."""
        stem = re.sub(r"(\.d)?\.\w+$", "", symbol.unit.path)
        names, outer = [symbol.name], symbol
        while outer.attached_to is not None or outer.parent != FILE:
            outer = outer.attached_to or symbol.unit.symbols[outer.parent]
            if "inline" not in outer.flags:
                names.append(outer.name)
        return f"{stem}#{'.'.join(reversed(names))}", ""

    def owner_of(
        self, resolver: Resolver, symbol: CodeSymbol, owner: CodeSymbol | None
    ) -> CodeSymbol | None:
        """Return the variable that has a member if its value is not known."""
        if owner is not None or symbol.receiver is None:
            return owner
        bindings = resolver.lookup(symbol.unit, symbol.scope, symbol.receiver[1])[0]
        numbers = [binding[B_SYMBOL] for _, binding in bindings if binding[B_SYMBOL] >= 0]
        return symbol.unit.symbols[numbers[0]] if numbers else None

    def imported(
        self, resolver: Resolver, unit: Unit, path: str, member: str | None
    ) -> Value | None:
        """Return a module, or what it exports."""
        origin, place = self.paths.find(unit.path, path)
        if origin == "missing":
            return None
        if origin != "file":
            outside: Value = (OUTSIDE, place)
            is_whole = member is None or member == "default"
            return outside if is_whole else self.outside_member(resolver, outside, str(member))
        if member is not None and (bindings := self.exported(resolver, place, member)):
            return resolver.evaluate_bindings(bindings, END)
        if member is None or member == "default":
            return (MODULE, place)
        exported = resolver.evaluate_bindings(self.exported(resolver, place, "default"), END)
        return resolver.member(exported, member) if exported is not None else None

    def exported(self, resolver: Resolver, module: str, name: str) -> list[FoundBinding]:
        """Return what a module exports under a name, through modules that export it again."""
        if module not in resolver.units:
            return resolver.modules.get(module, {}).get(name, [])
        key = (module, name)
        if key not in self.exports:
            self.exports[key] = self._exported(resolver, module, name)
        return self.exports[key]

    def _exported(self, resolver: Resolver, module: str, name: str) -> list[FoundBinding]:
        """Return the only bindings of a name in a module and those that it exports whole."""
        modules, hits = [module], []
        for path in modules:  # it grows meanwhile
            exports, names = resolver.units[path].exports, resolver.modules[path]
            bindings = names.get(exports.get(name, name), [])
            if name in exports or any(one[B_SYMBOL] >= 0 for _, one in bindings):
                hits.append(bindings)
            elif name != "default":
                found = [self.paths.find(path, source) for source in exports.get("*", ())]
                modules += [
                    place
                    for origin, place in dict.fromkeys(found)
                    if origin == "file" and place not in modules
                ]
        return hits[0] if len(hits) == 1 else []

    def outside_path(self, _resolver: Resolver, unit: Unit, path: str, _member: str) -> str:
        """Return the package of an imported path; a missing file is no package."""
        origin, place = self.paths.find(unit.path, path)
        return "" if origin == "missing" else place

    def implicit(self, _resolver: Resolver, _unit: Unit, name: str) -> Value | None:
        """Return a name of the language or of Node."""
        if name in IGNORED:
            return ("ignored",)
        return (OUTSIDE, name) if name in WORDS["types"] or name in WORDS["values"] else None

    def is_native(self, name: str) -> bool:
        """Tell whether a name belongs to the language, to browsers or to Node."""
        return name.partition("#")[0].split(".")[0].split("/")[0] in NATIVE and "#" not in name

    def package_of(self, name: str) -> str:
        """Return the package of an external name."""
        return name.partition("#")[0]

    def outside_kind(self, kind: str, _value: Value) -> str:
        """Return the kind of a link to something outside: types are used, values not followed."""
        return kind if kind == "uses" else ""

    def meant(self, kind: str, targets: list[Target]) -> list[Target]:
        """Return the type among declarations of one name, if a type is meant."""
        types = [target for target in targets if target.symbol and target.symbol.kind in TYPES]
        return types[:1] if kind == "uses" and types else targets

    # --- evaluation

    def outside_member(self, _resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member of something outside, with the receiver."""
        separator = "." if "#" in value[1] or self.is_native(value[1]) else "#"
        return (OUTSIDE, f"{value[1]}{separator}{name}", value)

    def container_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member of an array."""
        array: Value = (OUTSIDE_INSTANCE, "Array", (resolver.element(value),))
        return (OUTSIDE, f"Array.{name}", array)

    def function_member(self, resolver: Resolver, value: Value, name: str) -> Value | None:
        """Return a member of a function: call, bind, or what its file exports beside it."""
        if name in ("call", "apply"):
            return value
        if name == "bind":
            return (OUTSIDE, "Function.bind", value)
        unit = value[1].unit
        if unit.exports.get("default") != value[1].name:
            return None
        return resolver.evaluate_bindings(self.exported(resolver, unit.path, name), END)

    def outside_element(self, value: Value) -> Value | None:
        """Return an element of a collection of the library."""
        return union(value[2][-1:]) if value[1] in COLLECTIONS else None


def _text_in(walker: Walker, node: Node | None) -> str:
    """Return the content of a string literal."""
    return walker.text(node)[1:-1] if node is not None else ""


def _key(walker: Walker, node: Node | None) -> str:
    """Return the name of a property, an empty text if it is computed."""
    if node is None or node.type == "computed_property_name":
        return ""
    return _text_in(walker, node) if node.type == "string" else walker.text(node)


def _specifiers(walker: Walker, node: Node) -> list[tuple[str | None, str]]:
    """Return the names and aliases in an import or export clause."""
    fields = [
        (child.child_by_field_name("name"), child.child_by_field_name("alias"))
        for child in node.named_children
    ]
    return [(_key(walker, name), _key(walker, alias or name)) for name, alias in fields if name]


def _arrow_form(node: Node) -> Form:
    """Return the form of a function literal, which may have a parameter without parentheses."""
    return SINGLE if node.child_by_field_name("parameter") is not None else ARROW


def _matches(pattern: re.Pattern[bytes], walker: Walker, node: Node | None) -> bool:
    return node is not None and bool(
        pattern.fullmatch(walker.source, node.start_byte, node.end_byte)
    )
