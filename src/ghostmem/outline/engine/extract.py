"""One walk over a syntax tree, driven by a language's table."""

import hashlib
import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from itertools import zip_longest
from sys import intern
from typing import Any, NamedTuple

from tree_sitter import Language, Node, Parser

from ghostmem.outline.engine.facts import (
    B_POSITION,
    B_SYMBOL,
    B_TYPE,
    B_VALUE,
    BLOCK,
    CLASS,
    END,
    FILE,
    FILE_SCOPE,
    FUNCTION_SCOPE,
    MODULE_SCOPE,
    NO_SYMBOL,
    Binding,
    CodeSymbol,
    Reference,
    Scope,
    Unit,
)
from ghostmem.outline.engine.table import Flags, Form
from ghostmem.outline.engine.terms import (
    CALL,
    CALLBACK,
    CONSTRUCT,
    ELEMENT,
    FUNCTION_TYPE,
    GENERIC,
    HEIR,
    IMPORT,
    KEY,
    LAMBDA,
    LIST_OF,
    LIST_TYPE,
    LITERAL,
    MAP_TYPE,
    MEMBER,
    NAME,
    OWN_TYPE,
    PART,
    SEVERAL,
    SUPER,
    SYMBOL,
    THIS,
    TYPE_PARAMETER,
    VALUE_OF,
    Term,
    either,
)
from ghostmem.outline.languages.base import Facts

Grammar = Callable[[str], object]  # of a path

MAX_NESTING = 180  # levels of nodes of the table that are followed
MAX_ERRORS = 100  # lines with errors that are noted
UNLIMITED = 99  # arguments of a function that takes any number
_RECURSION = 20_000  # Python frames that the deepest walk may take
_KEPT_ARGUMENTS = 4  # of a call whose value is used; its reference has all of them
_MAX_SIGNATURE = 200  # characters of a first line
# before a declaration: @Annotation(...), [Attribute(...)] or #[Attribute]
_ANNOTATION = re.compile(
    r"(?:@(?!interface\b)[\w.:]+(?:\((?:[^()]|\([^()]*\))*\))?|#?\[(?:[^\[\]]|\[[^\[\]]*\])*\])\s*"
)
_MAX_HEAD = 500  # bytes of a signature


def extract(
    rules: "ExtractRules", grammar: Grammar, root: "Node", source: bytes, path: str
) -> Facts:
    """Return the facts of a parsed file."""
    with deep_recursion():
        syntax = syntax_of(rules, grammar, path.rpartition(".")[2].lower())
        walker = Walker(rules, syntax, source, path)
        return walker.extract(rules.parsed_again(root, source)).packed()


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Let Python functions call each other as deep as the deepest code is nested."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def better_tree(root: "Node", grammar: object, source: bytes) -> "Node":
    """Return the tree of a changed source if it has fewer errors than a tree, else that tree.

    The source must have the same length and lines."""
    again = Parser(Language(grammar)).parse(source)
    return min(root, again.root_node, key=lambda tree: len(error_lines(tree)))


def error_lines(root: "Node") -> list[int]:
    """Return the first lines that could not be parsed."""
    lines: set[int] = set()
    pending = [root] if root.has_error else []
    while pending and len(lines) < MAX_ERRORS:
        node = pending.pop()
        if node.is_error or node.is_missing:
            lines.add(node.start_point[0] + 1)
        else:
            pending.extend(child for child in node.children if child.has_error or child.is_missing)
    return sorted(lines)


Visitors = dict[int, tuple[Callable[..., Term | None], Form]]
# kind, owner, scope, term, position, arguments
PendingReference = tuple[str, int, int, Term, int, tuple[Term | None, ...] | None]


class Syntax(NamedTuple):
    """The table of a language for one of its grammars, by the numbers of node types.

    Numbers are compared faster than the names of types and fields."""

    forms: dict[int, Form]
    visitors: Visitors  # methods of a walker for expressions and statements
    typers: Visitors  # for types
    fields: dict[str, int]


@cache
def syntax_of(rules: "ExtractRules", grammar: Grammar, ending: str) -> Syntax:
    """Return the table for files with an ending, which decides about their grammar."""
    numbers = Language(grammar(f"x.{ending}"))
    types = {kind: str(numbers.node_kind_for_id(kind)) for kind in range(numbers.node_kind_count)}
    forms = {kind: rules.forms[name] for kind, name in types.items() if name in rules.forms}
    visitors, typers = (
        {
            kind: (method, form)
            for kind, form in forms.items()
            if (method := getattr(Walker, f"{prefix}_{form.role}", None)) is not None
            and (form.role != "hook" or hook in form.words)
        }
        for prefix, hook in (("visit", "fn"), ("type", "type_fn"))
    )
    fields = {str(numbers.field_name_for_id(n)): n for n in range(1, numbers.field_count + 1)}
    return Syntax(forms, visitors, typers, fields)


class Restored:
    """Restores what a declaration changes when it ends: the scope, the owner, the function."""

    __slots__ = ("before", "walker")

    def __init__(self, walker: "Walker") -> None:
        self.walker = walker
        self.before = (
            walker.scope, walker.block, walker.is_lazy,
            walker.owner, walker.owner_type, walker.function, walker.receivers,
        )  # fmt: skip

    def __enter__(self) -> int:
        return self.walker.scope

    def __exit__(self, *_: object) -> None:
        walker = self.walker
        (
            walker.scope, walker.block, walker.is_lazy,
            walker.owner, walker.owner_type, walker.function, walker.receivers,
        ) = self.before  # fmt: skip


class Walker:
    """The walk over one file, and the facts that it noted so far.

    `visit` returns the term of an expression, and `type_term` that of a type; both note the
    references in it. A `quiet` visit does not note the outermost name, since the caller does.
    """

    def __init__(self, rules: "ExtractRules", syntax: Syntax, source: bytes, path: str) -> None:
        self.rules, self.source = rules, source
        self.table, self._visitors, self._typers, self._fields = syntax
        self.unit = Unit(path)
        self.references: list[PendingReference] = []
        self.scope = 0
        self.owner = FILE  # the symbol that references belong to
        self.owner_type = FILE  # the type whose members are declared
        self.function: CodeSymbol | None = None
        self.block = 0  # the end of the block, see facts
        self.is_lazy = False  # in a block that is no scope yet
        self.flags: set[str] = set()  # of the next declaration
        self.nesting = 0
        self.quiet = False
        self.callback: tuple[Term, int] | None = None  # the call and place of a function literal
        self.whole: Node | None = None  # of the next declaration, with its decorators
        self.receivers: dict[str, Term] = {}  # names of the first parameter of a method
        self.anchor: Node | None = None  # the node that stands for those of a quoted source
        self.ignored: set[str] = set()  # names that no link leads to when they are read
        self.state: dict[object, Any] = {}  # of the language
        self._names: dict[bytes, Term] = {}  # terms of names
        self._newlines = [found.start() for found in re.finditer(b"\n", source)]

    def extract(self, root: "Node") -> Unit:
        """Return the facts of a file."""
        self.rules.begin(self, root)
        self.visit_all(root)
        self.unit.errors = sorted({*self.unit.errors, *error_lines(root)})[:MAX_ERRORS]
        self.unit.references = list(self._settled())
        return self.unit

    def _settled(self) -> Iterator[Reference]:
        """Yield the references, looked up in the file if only that may bind their first name.

        Not those that surely lead to a local, which no relation is about."""
        for kind, owner, scope, term, position, arguments in self.references:
            first, is_call = term, kind in ("calls", "calls?")
            if term[0] == MEMBER and term[1] is None and not is_call:
                continue
            while first[0] == MEMBER and first[1] is not None:
                first = first[1]
            home = self.home_of(first[1], scope, position) if scope and first[0] == NAME else -2
            if home == -1 and first is term and not is_call:
                continue
            line = bisect_left(self._newlines, position) + 1
            if home == 0 or (home > 0 and home != scope and not arguments):
                scope, position = home, END
            yield kind, owner, scope, term, line, position, arguments

    # --- helpers

    def text(self, node: "Node") -> str:
        """Return the source of a node; equal names are one object, which the facts store once."""
        return intern(self.source[node.start_byte : node.end_byte].decode("utf-8", "replace"))

    def line(self, node: "Node") -> int:
        """Return the line of a node, faster than its own attribute."""
        return bisect_left(self._newlines, node.start_byte) + 1

    def child(self, node: "Node", form: Form, key: str) -> "Node | None":
        """Return a part of a node, by its key in the table."""
        place = form.places.get(key)
        if place is None:
            return None
        if isinstance(place, str):
            return node.child_by_field_id(self._fields.get(place, 0))
        children = plain_children(node)
        return children[place] if -len(children) <= place < len(children) else None

    def children(self, node: "Node", form: Form, key: str) -> "list[Node]":
        """Return all nodes of a field, and of the lists in it, or the child of that number."""
        place = form.places.get(key)
        if not isinstance(place, str):
            return [child] if (child := self.child(node, form, key)) is not None else []
        return [
            part
            for child in node.children_by_field_name(place)
            for part in (child.named_children if child.type == "expression_list" else (child,))
            if part.is_named
        ]

    def role(self, node: "Node | None") -> str:
        """Return the role of a node in the table."""
        form = self.table.get(node.kind_id) if node is not None else None
        return form.role if form is not None else ""

    @property
    def scope_kind(self) -> str:
        """The kind of the present scope."""
        return self.unit.scopes[self.scope].kind

    def inside(self, kind: str, symbol: int = NO_SYMBOL) -> "Restored":
        """Open a scope, and leave it in the end; give its number."""
        before = Restored(self)
        self.unit.scopes.append(Scope(self.scope, kind, symbol))
        self.scope, self.block, self.is_lazy = len(self.unit.scopes) - 1, 0, False
        return before

    def in_lazy_block(self) -> "Restored":
        """Enter a block; it becomes a scope when a name is bound in it, for most bind none."""
        before = Restored(self)
        self.block, self.is_lazy = 0, True
        return before

    def in_block(self, node: "Node") -> "Restored":
        """Enter a block that may be skipped when the code runs."""
        before = Restored(self)
        self.block = -node.end_byte if self.leaves(node) else node.end_byte
        return before

    def leaves(self, node: "Node") -> bool:
        """Tell whether a block ends with a jump out of it: return, raise, continue and the like."""
        children = node.named_children
        return bool(children) and children[-1].type in self.rules.jumps

    def owned_by(self, symbol: CodeSymbol) -> "Restored":
        """Note references for a symbol."""
        before = Restored(self)
        self.owner = symbol.number
        return before

    def home(self, scope: int | None = None) -> int:
        """Return the scope that declarations belong to; with hoisting, a block has none."""
        scope = self.scope if scope is None else scope
        if self.rules.hoists:
            while self.unit.scopes[scope].kind == BLOCK:
                scope = self.unit.scopes[scope].parent
        return scope

    def bind(
        self,
        name: str,
        position: int,
        type_term: Term | None = None,
        value: Term | None = None,
        symbol: int = NO_SYMBOL,
        home: int | None = None,
        end: int | None = None,
    ) -> None:
        """Bind a name in the present scope, or in another one."""
        if name in self.receivers:
            self.receivers = {key: of for key, of in self.receivers.items() if key != name}
        if self.is_lazy and home in (None, self.scope):
            self.unit.scopes.append(Scope(self.scope, BLOCK, NO_SYMBOL))
            self.scope, self.is_lazy = len(self.unit.scopes) - 1, False
            home = None
        home = self.scope if home is None else home
        if end is None:
            end = self.block if home == self.scope or home == self.home() else 0
        binding: Binding = (position, end, self.scope, type_term, value, symbol)
        self.unit.scopes[home].names.setdefault(name, []).append(binding)

    def refer(
        self,
        kind: str,
        term: Term,
        node: "Node",
        arguments: Iterable[Term | None] | None = None,
    ) -> None:
        """Note a reference."""
        given = None if arguments is None else tuple(arguments)
        self.references.append(
            (kind, self.owner, self.scope, term, (self.anchor or node).start_byte, given)
        )

    def import_path(self, path: str, node: "Node", member: str = "") -> None:
        """Note that the file imports a path."""
        self.unit.imports.append((path, self.line(node), member))

    def define(self, node: "Node", name: str, kind: str, *flags: str) -> CodeSymbol:
        """Declare a symbol with some flags, without binding its name."""
        whole, self.whole = self.whole or node, None
        parent = self.owner
        if self.scope_kind in (CLASS, MODULE_SCOPE):
            parent = self.unit.scopes[self.scope].symbol
        symbol = CodeSymbol(
            name,
            kind,
            parent,
            self.line(whole),
            bisect_left(self._newlines, whole.end_byte) + 1,
            whole.start_byte,
            self.scope,
        )
        symbol.signature = self.rules.signature(self, node)
        symbol.body = hashlib.sha256(self.source[whole.start_byte : whole.end_byte]).hexdigest()
        symbol.number, symbol.unit = len(self.unit.symbols), self.unit
        symbol.flags, self.flags = self.flags.union(flags), set()
        self.unit.symbols.append(symbol)
        return symbol

    def declare(self, node: "Node", name: str, kind: str, *flags: str) -> CodeSymbol:
        """Declare a symbol with some flags, and bind its name."""
        symbol = self.define(node, name, kind, *flags)
        key = name + self.rules.call_suffix if kind == "method" else name
        self.bind_symbol(symbol, key, node.start_byte)
        return symbol

    def bind_symbol(self, symbol: CodeSymbol, name: str, position: int) -> None:
        """Bind a name to a symbol that is declared here."""
        self.bind(
            name, position, None, (SYMBOL, symbol.number), symbol.number, self.home(), self.block
        )

    def head(self, node: "Node", body: "Node | None") -> str:
        """Return the source of a declaration before its body, on one line."""
        stop = body.start_byte if body is not None else node.end_byte
        raw = self.source[node.start_byte : min(stop, node.start_byte + _MAX_HEAD)]
        return " ".join(raw.decode("utf-8", "replace").split())

    def first_line(self, node: "Node") -> str:
        """Return the first line of a declaration after its annotations."""
        raw = self.source[node.start_byte : node.end_byte][: 4 * _MAX_SIGNATURE]
        text = raw.decode("utf-8", "replace").lstrip()
        while annotation := _ANNOTATION.match(text):
            text = text[annotation.end() :]
        return text.partition("\n")[0].strip().rstrip("{ ")[:_MAX_SIGNATURE]

    # --- walking

    def visit(
        self, node: "Node | None", quiet: bool = False, visitors: Visitors | None = None
    ) -> Term | None:
        """Note what a node declares and refers to; return its term if it is an expression."""
        if node is None:
            return None
        visitor = (visitors or self._visitors).get(node.kind_id)
        if visitor is None:
            self.visit_all(node)
            return None
        if self.nesting >= MAX_NESTING:
            self.unit.errors.append(node.start_point[0] + 1)
            return None
        method, form = visitor
        self.nesting += 1
        term = method(self, node, form, quiet)
        self.nesting -= 1
        return term

    def visit_all(self, node: "Node") -> None:
        """Visit the children of a node; nodes that the table does not have are walked through."""
        pending = node.named_children[::-1]
        while pending:
            child = pending.pop()
            if child.kind_id in self._visitors:
                self.visit(child)
            else:
                pending += child.named_children[::-1]

    def visits(self, node: "Node | None") -> list[Term | None]:
        """Visit the children of a node, and return their terms."""
        return [self.visit(child) for child in plain_children(node)]

    def visit_same(self, node: "Node", form: Form, quiet: bool) -> Term | None:
        """The value of a node is that of one of its children; option `only`: others are ignored."""
        chosen = self.child(node, form, "of")
        if "only" in form.options:
            return self.visit(chosen, quiet)
        children = node.named_children
        terms = [self.visit(child, quiet and child == chosen) for child in children]
        return terms[children.index(chosen)] if chosen in children else None

    def visit_hook(self, node: "Node", form: Form, quiet: bool) -> Term | None:
        """Let the language handle a node; `walker.quiet` tells how it was visited."""
        self.quiet = quiet
        term: Term | None = getattr(self.rules, form.words["fn"])(self, node, form)
        return term

    def visit_block(self, node: "Node", _form: Form, _quiet: bool) -> Term | None:
        """A block: a scope in some languages, and a branch in all."""
        with self.in_block(node) if self.rules.hoists else self.in_lazy_block():
            self.visit_all(node)
        return None

    # --- expressions

    def visit_name(self, node: "Node", _form: Form, quiet: bool) -> Term | None:
        """A name."""
        term = self.name_term(node)
        if term[1] in self.receivers:
            return self.receivers[term[1]]
        if not quiet and term[1] not in self.ignored:
            self.refer("reads", term, node)
        return term

    def name_term(self, node: "Node") -> Term:
        """Return the term of a name, which is one object in a file."""
        raw = self.source[node.start_byte : node.end_byte]
        return self._names.get(raw) or self._names.setdefault(raw, (NAME, self.text(node)))

    def home_of(self, name: str, scope: int, position: int) -> int:
        """Return where a name is looked up: its scope, an outer one if those inside of that do not
        bind it, or -1 if it is surely a local or a type parameter."""
        start, has_members = scope, self.rules.members_visible
        while scope > 0:
            here = self.unit.scopes[scope]
            if bindings := here.names.get(name):
                first = bindings[0]
                tag = first[B_VALUE][0] if first[B_VALUE] is not None else ""
                is_bound = here.kind != CLASS and (
                    first[B_POSITION] <= position or self.rules.hoists
                )
                is_local = is_bound and first[B_SYMBOL] == NO_SYMBOL and tag != IMPORT
                return -1 if is_local or tag == TYPE_PARAMETER else start
            is_attached = here.symbol >= 0 and self.unit.symbols[here.symbol].receiver is not None
            may_have_member = here.kind == CLASS and (has_members or scope == start)
            if here.kind == MODULE_SCOPE or may_have_member or (has_members and is_attached):
                return scope
            scope = here.parent
        return 0

    def visit_member(self, node: "Node", form: Form, quiet: bool) -> Term | None:
        """`of.name`; separator, if it is shown. Option `method` if it is the name of a method,
        `unsure` if a read that leads nowhere does not count as unresolved."""
        of, name = self.child(node, form, "of"), self.child(node, form, "name")
        base = self.visit(of)
        if name is None:
            return None
        suffix = self.rules.call_suffix if "method" in form.options else ""
        term: Term = (MEMBER, base, self.text(name) + suffix)
        if (separator := self.child(node, form, "separator")) is not None:
            term = (*term, self.text(separator))
        if not quiet:
            self.refer("reads?" if "unsure" in form.options else "reads", term, name)
        return term

    def visit_call(self, node: "Node", form: Form, _quiet: bool) -> Term | None:
        """A call `callee(args)`, or `of.callee(args)` if the grammar has no member expression."""
        fn, listed = self.child(node, form, "callee"), self.child(node, form, "args")
        if fn is None:
            self.visit_all(node)
            return None
        if (known := self.rules.known_call(self, node, fn, listed)) is not None:
            return known[0]
        callee = value = self._callee(node, form, fn)
        given = self.child(node, form, "type_args")
        if given is not None:
            types = tuple(self.type_term(child) for child in given.named_children)
            value = (GENERIC, callee, types) if callee is not None else None
        elif callee is not None and callee[0] == GENERIC:
            callee = callee[1]
        arguments = self.arguments(listed, value)
        self.visit(self.child(node, form, "body"))
        if callee is None:
            callee = (MEMBER, None, " ".join(self.text(fn).split())[-60:])
        self.refer("calls", callee, fn, arguments)
        return (CALL, value, tuple(arguments[:_KEPT_ARGUMENTS])) if value is not None else None

    def _callee(self, node: "Node", form: Form, fn: "Node") -> Term | None:
        of = self.child(node, form, "of")
        if of is None and "bare" not in form.options:
            callee = self.visit(fn, quiet=True)
            name = self.rules.constructor + self.rules.call_suffix
            return (MEMBER, callee, name) if callee in ((SUPER,), (THIS,)) else callee
        name = self.text(fn) + self.rules.call_suffix
        return (MEMBER, self.visit(of), name) if of is not None else (NAME, name)

    def arguments(self, node: "Node | None", callee: Term | None) -> list[Term | None]:
        """Visit the arguments of a call, and return their terms."""
        terms: list[Term | None] = []
        for child in plain_children(node):
            self.callback = (callee, len(terms)) if callee is not None else None
            terms.append(self.visit(child))
        self.callback = None
        return terms

    def anonymous(self, body: "Node", base: Term | None) -> CodeSymbol:
        """Declare a type without a name that extends another one."""
        symbol = self.define(body, "(anonymous)", "type")
        if base is not None:
            symbol.bases.append(("extends", base, symbol.line, symbol.start))
        self.type_body(symbol, body)
        return symbol

    def visit_new(self, node: "Node", form: Form, _quiet: bool) -> Term | None:
        """`new type(args)`, perhaps with type arguments, or with the body of a type of its own.

        Option `typed` if the type is written as a type, not as an expression."""
        of, listed = self.child(node, form, "type"), self.child(node, form, "args")
        type_term = self.type_term(of) if "typed" in form.options else self.visit(of, quiet=True)
        given = plain_children(self.child(node, form, "type_args"))
        types = tuple(self.type_term(child) for child in given)
        arguments = self.arguments(listed, type_term)
        if of is None or type_term is None:
            return None
        callee: Term = (CONSTRUCT, type_term)
        body = self.child(node, form, "body")
        if body is not None and body != listed:
            self.anonymous(body, type_term)
            callee = (*callee, HEIR)
        self.refer("calls", callee, of, arguments)
        return (VALUE_OF, (GENERIC, type_term, types) if types else type_term)

    def visit_cast(self, node: "Node", form: Form, _quiet: bool) -> Term | None:
        """A value `of` as one of a `type`.

        Options: `shown` as the value itself, `kept` as it is if the type is not known."""
        type_term = self.type_term(self.child(node, form, "type"))
        term = self.visit(self.child(node, form, "of"))
        if type_term is None:
            return term if "kept" in form.options else None
        return (VALUE_OF, type_term, term) if "shown" in form.options else (VALUE_OF, type_term)

    def visit_index(self, node: "Node", form: Form, _quiet: bool) -> Term | None:
        """`of[...]`."""
        base = self.visit_same(node, form, False)
        return (ELEMENT, base) if base is not None else None

    def visit_either(self, node: "Node", form: Form, _quiet: bool) -> Term | None:
        """One of several values: `a or b`, `c ? a : b` with the `test` c."""
        test = self.child(node, form, "test")
        terms = [(child, self.visit(child)) for child in node.named_children]
        return either(term for child, term in terms if child != test)

    def visit_tuple(self, node: "Node", _form: Form, _quiet: bool) -> Term | None:
        """Several values."""
        return (SEVERAL, tuple(self.visits(node)))

    def visit_list(self, node: "Node", _form: Form, _quiet: bool) -> Term | None:
        """A list with elements of one type."""
        return (LIST_OF, either(self.visits(node)[:_KEPT_ARGUMENTS]))

    def visit_this(self, _node: "Node", form: Form, _quiet: bool) -> Term | None:
        """The instance, or (super) the instance as one of its bases."""
        return (form.role,)

    visit_super = type_this = visit_this

    def visit_literal(self, node: "Node", form: Form, _quiet: bool) -> Term | None:
        """A literal of a type outside of the project; option `walked` if it has expressions."""
        if "walked" in form.options:
            self.visit_all(node)
        return (LITERAL, form.words["is"])

    # --- types

    def type_term(self, node: "Node | None") -> Term | None:
        """Return the term of a type as written, and note the types that it names."""
        if node is None or node.kind_id in self._typers:
            return self.visit(node, False, self._typers)
        terms = [term for term in map(self.type_term, node.named_children) if term is not None]
        return terms[0] if len(terms) == 1 else None

    def type_name(self, node: "Node", _form: Form, _quiet: bool = False) -> Term | None:
        """A type by its name."""
        term = self.name_term(node)
        self.refer("uses", term, node)
        return term

    def type_member(self, node: "Node", form: Form, _quiet: bool = False) -> Term | None:
        """A type in a module or another type."""
        term = self.path_term(node)
        if term is not None:
            self.refer("uses", term, self.child(node, form, "name") or node)
        return term

    def path_term(self, node: "Node | None", depth: int = MAX_NESTING) -> Term | None:
        """Return a dotted name as a term, without noting it."""
        form = self.table.get(node.kind_id) if node is not None else None
        if node is None or form is None or not depth:
            return None
        if form.role == "member" and (name := self.child(node, form, "name")) is not None:
            return (
                MEMBER,
                self.path_term(self.child(node, form, "of"), depth - 1),
                self.text(name),
            )
        return self.name_term(node) if form.role == "name" else None

    def type_same(self, node: "Node", form: Form, _quiet: bool = False) -> Term | None:
        """The type of one child."""
        return self.type_term(self.child(node, form, "of"))

    def type_generic(self, node: "Node", form: Form, _quiet: bool = False) -> Term | None:
        """A type `of` with type arguments: the other children; option `flat`: theirs."""
        of = self.child(node, form, "of")
        base = self.type_term(of)
        arguments = [
            self.type_term(argument)
            for child in node.named_children
            if child != of
            for argument in (child.named_children if "flat" in form.options else (child,))
            if self.role(argument) != "skip"
        ]
        return (GENERIC, base, tuple(arguments)) if base is not None else None

    visit_generic = type_generic

    def type_listtype(self, node: "Node", form: Form, _quiet: bool = False) -> Term | None:
        """A list of elements `of` a type, or a map from a type `key` to a type `of`."""
        return (form.role, *(self.type_term(self.child(node, form, key)) for key in form.places))

    type_maptype = type_listtype

    visit_listtype, visit_maptype = type_listtype, type_maptype

    def type_uniontype(self, node: "Node", _form: Form, _quiet: bool = False) -> Term | None:
        """One of several types."""
        return either([self.type_term(child) for child in node.named_children])

    def type_tupletype(self, node: "Node", _form: Form, _quiet: bool = False) -> Term | None:
        """Several types."""
        return (SEVERAL, tuple(self.type_term(child) for child in node.named_children))

    type_list = type_tupletype

    def type_functype(self, node: "Node", form: Form, _quiet: bool = False) -> Term | None:
        """A function of `params` with a `result`, perhaps with `type_params`."""
        with self.inside(FUNCTION_SCOPE):
            self.type_parameters(self.child(node, form, "type_params"))
            listed = _own_parameters(self.child(node, form, "params"))
            types = [self.type_term(child.child_by_field_name("type")) for child in listed]
            result = self.type_term(self.child(node, form, "result"))
        return (FUNCTION_TYPE, result, tuple(types))

    def type_primitive(self, node: "Node", _form: Form, _quiet: bool = False) -> Term | None:
        """A type of the language itself that is no name."""
        return (LITERAL, self.text(node))

    def type_notype(self, _node: "Node", _form: Form, _quiet: bool = False) -> Term | None:
        """A node that is ignored, or a type of which nothing is known."""
        return None

    visit_skip = type_skip = type_notype

    def type_hook(self, node: "Node", form: Form, _quiet: bool = False) -> Term | None:
        """Let the language handle a type."""
        term: Term | None = getattr(self.rules, form.words["type_fn"])(self, node, form)
        return term

    def type_record(self, node: "Node", form: Form, _quiet: bool = False) -> Term | None:
        """A type written in place: a struct, an interface, an object type. It is no node."""
        symbol = self.define(node, "(anonymous)", form.words.get("kind", "type"), "inline")
        self.type_body(symbol, node)
        return (SYMBOL, symbol.number)

    visit_record = type_record

    # --- declarations

    def visit_func(self, node: "Node", form: Form, quiet: bool) -> Term | None:
        """A function: name, params, result, body, type_params, recv.

        Options: `arrow` if the body is its value, `signature` if it is declared only."""
        name = self.child(node, form, "name")
        if name is None:
            return self.visit_lambda(node, form, quiet)
        text = form.words.get("named") or self.text(name)
        has_receiver = "recv" in form.places
        kind = "method" if has_receiver or self.scope_kind == CLASS else "function"
        symbol = (self.define if has_receiver else self.declare)(node, text, kind)
        self.function_body(symbol, node, form)
        return (SYMBOL, symbol.number)

    def function_body(self, symbol: CodeSymbol, node: "Node", form: Form) -> None:
        """Visit the parameters and the body of a function."""
        in_type = self.scope_kind == CLASS
        if "signature" in form.options:
            symbol.flags.add("signature")
        self.rules.function(self, symbol, node)
        with self.inside(FUNCTION_SCOPE, symbol.number) as symbol.inner:
            self.function, self.owner = symbol, symbol.number
            if (receiver := self.child(node, form, "recv")) is not None:
                symbol.receiver = self.rules.receiver(self, symbol, receiver)
            symbol.type_parameters += self.type_parameters(self.child(node, form, "type_params"))
            self.parameters(self.child(node, form, "params"), symbol, in_type)
            symbol.result = self.type_term(self.child(node, form, "result")) or symbol.result
            body = self.child(node, form, "body")
            term = self.visit_body(body)
            if "arrow" in form.options and body is not None:
                self.returns(body, term)

    def visit_body(self, body: "Node | None") -> Term | None:
        """Visit the body of a function; its block is no branch and no scope of its own."""
        if body is not None and self.role(body) == "block":
            self.visit_all(body)
            return None
        return self.visit(body)

    def type_parameters(self, node: "Node | None") -> tuple[str, ...]:
        """Bind type parameters, nodes of the role `typeparam`, and return their names."""
        names: list[str] = []
        for child in node.named_children if node is not None else ():
            form = self.table.get(child.kind_id)
            if form is None or form.role != "typeparam":
                continue
            bound = self.type_term(self.child(child, form, "bound")) or self.rules.default_bound
            for name in child.children_by_field_name("name") or child.named_children[:1]:
                names.append(self.text(name))
                self.bind(names[-1], 0, None, (TYPE_PARAMETER, names[-1], bound))
        return tuple(names)

    def parameters(self, node: "Node | None", symbol: CodeSymbol, in_type: bool) -> None:
        """Bind the parameters of a function."""
        listed = _own_parameters(node)
        if node is not None and self.role(node) in ("name", "param"):
            listed = [node]  # a function literal with one parameter, without parentheses
        if in_type and "static" not in symbol.flags and self.rules.self_parameter and listed:
            self.self_parameter(listed.pop(0), symbol)
        for child in listed:
            names, least, most = self.parameter(child)
            symbol.parameters += names
            symbol.min_arguments += least
            symbol.max_arguments += most

    def self_parameter(self, first: "Node", symbol: CodeSymbol) -> None:
        """Bind the name of the instance, or in a class method of its type."""
        name = self.text(first).partition(":")[0].strip()
        of = OWN_TYPE if "class method" in symbol.flags else THIS
        self.bind(name, first.start_byte, None, (of, name))
        self.receivers = {name: (of, name)}

    def parameter(self, node: "Node") -> tuple[list[str], int, int]:
        """Bind a parameter; return its names and the least and most arguments that it takes.

        Form: name, type, value; options `many`, `optional`."""
        form = self.table.get(node.kind_id)
        if form is not None and form.role == "hook":  # such as `self`
            self.visit(node)
            return [], 0, 0
        if form is None or form.role != "param":
            self.pattern(node, None, None, node.start_byte)
            return [self.text(node) if self.role(node) == "name" else ""], 1, 1
        type_term = self.type_term(self.child(node, form, "type"))
        if is_rest := "many" in form.options:
            is_map = "pairs" in form.options
            type_term = (MAP_TYPE, None, type_term) if is_map else (LIST_TYPE, type_term)
        default = self.child(node, form, "value")
        owner = self.owner
        if self.rules.defaults_outside and self.function is not None:
            self.owner = self.function.parent
        value = self.visit(default)
        self.owner = owner
        names: list[str] = []
        listed: list[Node | None] = [*self.children(node, form, "name")]
        for name in listed or [None]:
            if name is not None and self.role(name) not in ("", "name"):
                names.append("")
                self.pattern(name, (VALUE_OF, type_term) if type_term is not None else None)
                continue
            text = self.text(name) if name is not None else "_"
            # one without a name counts all the same
            names.append(f"#{(name or node).start_byte}" if text == "_" else text)
            self.bind(names[-1], node.start_byte, type_term, value)
        if is_rest:
            return names, 0, UNLIMITED
        is_optional = default is not None or "optional" in form.options
        return names, 0 if is_optional else len(names), len(names)

    def visit_param(self, node: "Node", _form: Form, _quiet: bool) -> Term | None:
        """A parameter outside of a list of parameters."""
        self.parameter(node)
        return None

    def visit_lambda(self, node: "Node", form: Form, _quiet: bool) -> Term | None:
        """A function literal: params, result, body. What it refers to belongs to its owner."""
        callback, self.callback = self.callback, None
        outer = self.scope
        literal = CodeSymbol("", "lambda", self.owner, 0, 0, 0, self.scope)
        with self.inside(FUNCTION_SCOPE):
            self.function = literal
            self.type_parameters(self.child(node, form, "type_params"))
            self.parameters(self.child(node, form, "params"), literal, False)
            if callback is not None:
                self._bind_callback(literal.parameters, callback, outer)
            result = self.type_term(self.child(node, form, "result"))
            term = self.visit_body(self.child(node, form, "body"))
        if result is not None:
            return (LAMBDA, (VALUE_OF, result))
        if term is None and len(literal.returns) == 1:
            term = literal.returns[0][2]
        return (LAMBDA, term)

    def _bind_callback(self, names: list[str], callback: tuple[Term, int], outer: int) -> None:
        """Parameters without a type have that of the parameter that the literal is passed for."""
        scope = self.unit.scopes[self.scope]
        for number, name in enumerate(names):
            bindings = scope.names.get(name)
            if bindings and bindings[0][B_TYPE] is None and bindings[0][B_VALUE] is None:
                value = (CALLBACK, *callback, number)
                scope.names[name] = [(bindings[0][0], 0, outer, None, value, NO_SYMBOL)]

    def visit_return(self, node: "Node", _form: Form, _quiet: bool) -> Term | None:
        """The value that a function returns."""
        terms = self.visits(node)
        if terms:
            self.returns(node, terms[0] if len(terms) == 1 else (SEVERAL, tuple(terms)))
        return None

    def returns(self, node: "Node", term: Term | None) -> None:
        """Note a value that the function returns."""
        if self.function is not None and term is not None:
            self.function.returns.append((self.scope, node.start_byte, term))

    def visit_type(self, node: "Node", form: Form, _quiet: bool) -> Term | None:
        """A type: name, body, type_params; or `type`, the type that it is defined as.

        Its kind is `kind=`, else "type". `Rules.bases` notes its bases."""
        name = self.child(node, form, "name")
        kind = form.words.get("kind", "type")
        symbol = (
            self.declare(node, self.text(name), kind)
            if name is not None
            else self.define(node, "(anonymous)", kind)
        )
        self.type_body(symbol, self.child(node, form, "body"), form, node)
        return (SYMBOL, symbol.number)

    def type_body(
        self,
        symbol: CodeSymbol,
        body: "Node | None",
        form: Form | None = None,
        node: "Node | None" = None,
        scope_kind: str = CLASS,
    ) -> None:
        """Visit the members of a type, or the declarations of a module."""
        with self.inside(scope_kind, symbol.number) as symbol.inner:
            self.owner = self.owner_type = symbol.number
            self.function, self.receivers = None, {}
            if node is not None and form is not None:
                symbol.type_parameters += self.type_parameters(
                    self.child(node, form, "type_params")
                )
                defined = self.child(node, form, "type")
                if defined is not None and self.role(defined) == "record":  # written in place
                    body = defined
                    symbol.kind = self.table[body.kind_id].words.get("kind", symbol.kind)
                else:
                    symbol.underlying = self.type_term(defined)
                self.rules.bases(self, symbol, node)
            if body is not None:
                self.visit_all(body)

    def base(self, symbol: CodeSymbol, relation: str, node: "Node") -> Term | None:
        """Note a base type, which is not used besides, and return its term."""
        count = len(self.references)
        if (term := self.type_term(node)) is not None:
            symbol.bases.append((relation, term, self.line(node), node.start_byte))
            plain = term[1] if term[0] == GENERIC else term
            if self.references[count:] and self.references[count][3] == plain:
                del self.references[count]
        return term

    def visit_bind(self, node: "Node", form: Form, _quiet: bool) -> Term | None:
        """Variables with their values: fields in a type, symbols in a file, else locals.

        Form: name, type, value; kind of the symbols."""
        names = self.children(node, form, "name")
        type_term = self.type_term(self.child(node, form, "type")) if names else None
        symbols = self._variables(node, form, names)
        terms = [self.visit(child) for child in self.children(node, form, "value")]
        if len(terms) == 1 and len(names) > 1:
            terms = [_part(terms[0], number) for number in range(len(names))]
        for name, value in zip_longest(names, terms[: len(names)]):
            if (symbol := symbols.get(name.start_byte)) is None:
                self.pattern(name, value, type_term, node.end_byte)
            else:
                self.bind(symbol.name, name.start_byte, type_term, value, symbol.number)
        return None

    def _variables(self, node: "Node", form: Form, names: "list[Node]") -> dict[int, CodeSymbol]:
        """Declare the variables that are symbols; return them by the position of their names."""
        home = self.unit.scopes[self.home()].kind
        if home not in (FILE_SCOPE, MODULE_SCOPE, CLASS):
            return {}
        kind = form.words.get("kind") or ("field" if home == CLASS else "variable")
        flags, self.flags = self.flags, set()
        return {
            name.start_byte: self.define(node, self.text(name), kind, *flags)
            for name in names
            if self.role(name) == "name"
        }

    def pattern(
        self,
        node: "Node",
        value: Term | None,
        type_term: Term | None = None,
        position: int | None = None,
    ) -> None:
        """Bind the names of a pattern to a value or its parts."""
        position = node.end_byte if position is None else position
        role = self.role(node)
        if role == "name":
            self.bind(self.text(node), position, type_term, value, home=self.home())
        elif role in ("tuple", "list"):
            for number, child in enumerate(node.named_children):
                self.pattern(child, _part(value, number), None, position)
        else:
            self.rules.pattern(self, node, value, position)

    def visit_assign(self, node: "Node", form: Form, _quiet: bool) -> Term | None:
        """An assignment `left = right`, with a `type` perhaps; option `read`: or `left += 1`."""
        type_term = self.type_term(self.child(node, form, "type"))
        term = self.visit(self.child(node, form, "right"))
        left = self.child(node, form, "left")
        operator = node.child_by_field_name("operator")
        if "read" in form.options and (operator is None or operator.type != "="):
            term = self.visit(left)
        if left is not None:
            self.assign(left, term, type_term, node)
        return term

    def assign(
        self, target: "Node", value: Term | None, type_term: Term | None, node: "Node"
    ) -> None:
        """Assign a value to a target; `node` is the whole assignment."""
        role = self.role(target)
        if role == "name":
            self.rules.assign_name(self, target, value, type_term, node)
        elif role == "member":
            if (term := self.visit(target, quiet=True)) is not None:
                self.rules.assign_member(self, term, type_term, value, node, target)
        elif role in ("tuple", "list"):
            for number, child in enumerate(target.named_children):
                self.assign(child, _part(value, number), None, node)
        else:
            self.visit(target)

    def visit_range(self, node: "Node", form: Form, _quiet: bool) -> Term | None:
        """A loop: left, right, body, type. Option `pairs`: left is a key and a value."""
        term = self.visit(self.child(node, form, "right"))
        body = self.child(node, form, "body")
        type_term = self.type_term(self.child(node, form, "type"))
        has_scope = body is not None and not self.rules.hoists
        tags = (KEY, ELEMENT) if "pairs" in form.options else (ELEMENT,)
        with self.in_lazy_block() if has_scope else nullcontext():
            for tag, name in zip(tags, self.children(node, form, "left"), strict=False):
                self.pattern(name, (tag, term) if term is not None else None, type_term)
            self.visit(body)
        for child in node.children_by_field_name("alternative") if body is not None else ():
            self.visit(child)
        return None


def plain_children(node: "Node | None") -> "list[Node]":
    """Return the named children of a node without comments."""
    children = node.named_children if node is not None else []
    return [child for child in children if not child.is_extra]


def _part(value: Term | None, number: int) -> Term | None:
    return (PART, value, number) if value is not None else None


def _own_parameters(node: "Node | None") -> "list[Node]":
    """Return the parameters in a list, without a `this` that only has a type."""
    return [
        child
        for child in plain_children(node)
        if (pattern := child.child_by_field_name("pattern")) is None or pattern.type != "this"
    ]


class ExtractRules(Flags):
    """How a language is extracted: completes what its table says."""

    def parsed_again(self, root: "Node", source: bytes) -> "Node":
        """Return the tree of a file, after something that its grammar does not understand."""
        return root

    def begin(self, walker: "Walker", root: "Node") -> None:
        """Prepare the walk over a file."""

    def signature(self, walker: "Walker", node: "Node") -> str:
        """Return the text that a declaration is shown by."""
        if self.shows_first_line:
            return walker.first_line(node)
        return walker.head(node, node.child_by_field_name("body")).rstrip(":{;= ")

    def function(self, walker: "Walker", symbol: CodeSymbol, node: "Node") -> None:
        """Complete a function before its parameters are visited."""

    def receiver(self, walker: "Walker", symbol: CodeSymbol, node: "Node") -> Term | None:
        """Return the type of the receiver that a function is declared with (key recv)."""
        return None

    def bases(self, walker: "Walker", symbol: CodeSymbol, node: "Node") -> None:
        """Note the bases of a type, with `walker.base`."""

    def pattern(self, walker: "Walker", node: "Node", value: Term | None, position: int) -> None:
        """Bind the names of a pattern that is neither a name nor a tuple or list."""
        for child in node.named_children:
            walker.pattern(child, None, None, position)

    def assign_name(
        self,
        walker: "Walker",
        target: "Node",
        value: Term | None,
        type_term: Term | None,
        node: "Node",
    ) -> None:
        """Handle an assignment to a name, which declares it in some languages."""
        walker.refer("assigns", (NAME, walker.text(target)), target)

    def assign_member(
        self,
        walker: "Walker",
        term: Term,
        type_term: Term | None,
        value: Term | None,
        node: "Node",
        target: "Node",
    ) -> None:
        """Handle an assignment to a member."""
        walker.refer("assigns", term, target)

    def known_call(
        self, walker: "Walker", node: "Node", fn: "Node", args: "Node | None"
    ) -> tuple[Term | None] | None:
        """Handle a call with a meaning of its own, and return its term in a tuple; else None."""
        return None
