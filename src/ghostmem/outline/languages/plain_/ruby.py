"""Ruby: modules, classes, methods and constants, what is required, and what a class is
made from.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING, NamedTuple

import tree_sitter_ruby

from ghostmem.outline.facts import Facts, Import
from ghostmem.outline.graph import Linked
from ghostmem.outline.languages.base import Language, Read
from ghostmem.outline.languages.plain_.gather import PACKAGE, SCOPE, Gather, Rung, Step
from ghostmem.outline.languages.plain_.link import PlainRules, link_plain

if TYPE_CHECKING:
    from tree_sitter import Node

KINDS = ("extends", "declares", "imports")
MIXINS = {"include", "extend", "prepend"}
FIELDS = {"attr_accessor", "attr_reader", "attr_writer"}
REQUIRES = {"require", "require_relative", "load"}
MAKERS = {"Class", "Module", "Struct", "Data"}
NAMES = {"constant", "scope_resolution"}
CORE = frozenset(
    "ArgumentError Array BasicObject Class Comparable Complex Data Date DateTime Delegator "
    "Dir EOFError "
    "Encoding Enumerable Enumerator Exception File FloatDomainError Forwardable "
    "FrozenError Hash IO "
    "IOError IndexError Integer Interrupt KeyError Kernel LoadError LocalJumpError Logger "
    "Method Module "
    "Mutex NameError NoMatchingPatternError NoMethodError NotImplementedError Numeric "
    "Object ObjectSpace "
    "OpenStruct Proc Process Queue Random Range RangeError Rational Regexp RegexpError "
    "RuntimeError "
    "ScriptError SecurityError Set SignalException SimpleDelegator Singleton StandardError "
    "StopIteration "
    "String StringIO Struct Symbol SyntaxError SystemCallError SystemExit SystemStackError Thread "
    "ThreadError Time Timeout TypeError UncaughtThrowError ZeroDivisionError".split()
)
STANDARD = frozenset(
    "abbrev base64 benchmark bigdecimal bundler cgi coverage csv date delegate digest drb "
    "English erb etc "
    "expect fcntl fiddle fileutils find forwardable getoptlong io ipaddr irb json logger "
    "matrix minitest "
    "monitor mutex_m net objspace observer open-uri open3 openssl optparse ostruct pathname pp "
    "prettyprint prime pstore psych pty rake rbconfig rdoc readline resolv rinda ripper "
    "securerandom set "
    "shellwords singleton socket stringio strscan syslog tempfile test time timeout tmpdir "
    "tsort un uri "
    "weakref yaml zlib".split()
)


class _RubyState(NamedTuple):
    scopes: tuple[str, ...] = ()  # outermost first, each by its whole name
    single: bool = False  # in class << self
    code: bool = False  # in a body, where only requires count

    @property
    def scope(self) -> str:
        return self.scopes[-1] if self.scopes else ""

    @property
    def rungs(self) -> list[Rung]:
        return [*([SCOPE, one] for one in reversed(self.scopes)), [PACKAGE, ""]]


class _Ruby(Gather):
    def visit(self, node: "Node", owner: int, state: _RubyState) -> Iterable[Step]:
        """Take a node, and return what is visited next."""
        match node.type:
            case "call":
                return self.call(node, owner, state)
            case _ if state.code:
                pass
            case "class" | "module":
                return self.type(node, owner, state)
            case "singleton_class" if self.text(node.child_by_field_name("value")) == "self":
                return [
                    (child, owner, state._replace(single=True)) for child in node.named_children
                ]
            case "method" | "singleton_method":
                return self.method(node, owner, state)
            case "assignment":
                return self.assignment(node, owner, state)
            case "block" | "do_block" | "lambda" | "singleton_class":
                state = state._replace(code=True)
        return [(child, owner, state) for child in node.named_children]

    def type(self, node: "Node", owner: int, state: _RubyState) -> list[Step]:
        name = self.text(node.child_by_field_name("name"))
        if not name:
            return [(child, owner, state) for child in node.named_children]
        whole = _whole(name, state)
        at = self.declare(
            name.rpartition("::")[2],
            whole,
            "module" if node.type == "module" else "type",
            owner,
            node,
        )
        above = node.child_by_field_name("superclass")
        if above is not None and above.named_children:
            self.base(
                "extends",
                at,
                above.named_children[0],
                state.rungs if above.named_children[0].type in NAMES else [],
            )
        body = node.child_by_field_name("body")
        return [(body, at, _RubyState((*state.scopes, whole)))] if body is not None else []

    def method(self, node: "Node", owner: int, state: _RubyState) -> list[Step]:
        name = self.text(node.child_by_field_name("name"))
        single = state.single or node.type == "singleton_method"
        whole = f"{state.scope}{'.' if single else '#'}{name}" if state.scope else name
        self.declare(name, whole, "method" if state.scope else "function", owner, node)
        return [(child, owner, state._replace(code=True)) for child in node.named_children]

    def assignment(self, node: "Node", owner: int, state: _RubyState) -> list[Step]:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return []
        if left.type in NAMES and self.is_maker(right):
            return self.made(node, left, right, owner, state)
        for one in left.named_children if left.type == "left_assignment_list" else [left]:
            if one.type in NAMES:
                name = self.text(one)
                self.declare(name.rpartition("::")[2], _whole(name, state), "constant", owner, node)
            elif one.type == "global_variable":
                self.declare(self.text(one), self.text(one), "variable", owner, node)
        return [(right, owner, state._replace(code=True))]

    def is_maker(self, node: "Node") -> bool:
        made = (
            self.text(node.child_by_field_name("method")) in {"new", "define"}
            if node.type == "call"
            else False
        )
        return made and self.text(node.child_by_field_name("receiver")) in MAKERS

    def made(
        self, node: "Node", left: "Node", right: "Node", owner: int, state: _RubyState
    ) -> list[Step]:
        """Declare what Class.new and its like make."""
        maker, given = right.child_by_field_name("receiver"), right.child_by_field_name("arguments")
        whole = _whole(self.text(left), state)
        kind = "module" if self.text(maker) == "Module" else "type"
        at = self.declare(self.text(left).rpartition("::")[2], whole, kind, owner, node)
        if self.text(maker) in {"Struct", "Data"} and maker is not None:
            self.base("extends", at, maker, [[PACKAGE, ""]])
        elif given is not None and given.named_children:
            self.base(
                "extends",
                at,
                given.named_children[0],
                state.rungs if given.named_children[0].type in NAMES else [],
            )
        block = right.child_by_field_name("block")
        body = block.child_by_field_name("body") if block is not None else None
        # a block opens no scope for constants, but methods are the new type's
        return [(body, at, _RubyState((*state.scopes, whole)))] if body is not None else []

    def call(self, node: "Node", owner: int, state: _RubyState) -> list[Step]:
        name = self.text(node.child_by_field_name("method"))
        given = node.child_by_field_name("arguments")
        if node.child_by_field_name("receiver") is None and given is not None:
            if name in REQUIRES:
                self.require(name, given, owner)
            elif state.scope and not state.code and name in MIXINS:
                self.mix(given, owner, state)
            elif state.scope and not state.code and name in FIELDS:
                self.fields(given, owner, state)
        inside = (
            state
            if name in {"private", "public", "protected", "private_class_method"}
            else state._replace(code=True)
        )
        return [(child, owner, inside) for child in node.named_children]

    def require(self, name: str, given: "Node", owner: int) -> None:
        first = given.named_children[0] if given.named_children else None
        if (
            first is not None
            and first.type == "string"
            and [child.type for child in first.named_children] == ["string_content"]
        ):
            path = self.text(first.named_children[0])
            self.bring(path, given, owner, file=True, relative=name == "require_relative")

    def mix(self, given: "Node", owner: int, state: _RubyState) -> None:
        for one in given.named_children:
            if one.type != "self":
                self.base("extends", owner, one, state.rungs if one.type in NAMES else [])

    def fields(self, given: "Node", owner: int, state: _RubyState) -> None:
        for one in given.named_children:
            if one.type == "simple_symbol":
                name = self.text(one).removeprefix(":")
                self.declare(
                    name, f"{state.scope}{'.' if state.single else '#'}{name}", "field", owner, one
                )


def extract(root: "Node", source: bytes, _path: str) -> Facts:
    """Return what a file says."""
    return _Ruby(source).walk(root, _RubyState())


def link(files: Mapping[str, Facts], read: Read) -> Linked:
    """Return the graph of all files."""
    libraries: dict[str, list[str]] = {}
    for path in files:
        # what is required is looked for in the root, and in every folder lib
        for start in {0, *(found.end() for found in re.finditer(r"(?:^|/)lib/", path))}:
            libraries.setdefault(path[start:], []).append(path)
    return link_plain(replace(RULES, find_file=partial(_file, libraries)), files, read)


def _whole(name: str, state: _RubyState) -> str:
    if name.startswith("::") or not state.scope:
        return name.removeprefix("::")
    head = name.partition("::")[0]
    # module A; class A::B names the A around it, not an A inside
    around = (
        next((one for one in reversed(state.scopes) if one.rpartition("::")[2] == head), None)
        if "::" in name
        else None
    )
    return f"{around}{name.removeprefix(head)}" if around else f"{state.scope}::{name}"


def _file(
    libraries: Mapping[str, list[str]], one: Import, path: str, files: Mapping[str, Facts]
) -> str | None:
    wanted = one.path if one.path.endswith(".rb") else f"{one.path}.rb"
    if one.detail["relative"]:
        found = normpath(join(dirname(path), wanted))
        return found if found in files else None
    hits = libraries.get(wanted, [])
    return hits[0] if len(hits) == 1 else None


RULES = PlainRules("ruby", "::", KINDS, CORE, lambda name: name.partition("/")[0] in STANDARD)
LANGUAGE = Language(
    name="ruby",
    aliases=("rb",),
    suffixes=(".rb", ".rake", ".gemspec"),
    grammar=lambda _path: tree_sitter_ruby.language(),
    package="tree-sitter-ruby",
    version=1,
    extract=extract,
    link=link,
    kinds=KINDS,
)
