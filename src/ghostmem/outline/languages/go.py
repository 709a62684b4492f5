"""Go: the facts of one file. Bodies are kept as small trees, because the meaning of a name depends
on the types of its whole package.

So `refs` stays empty: `link` finds the references while it types the trees. A symbol's `detail`
is the tree of its head as JSON text, its `full` name is the one inside of its package, with the
receiver of a method; the file's `detail` holds the SHA-256 of its text, whether it is a test, its
build constraint, and its initialisers. Bodies, which only the file itself needs, are its `rest`, in
the order of its symbols."""

import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostmem.outline.facts import FILE, Facts, Import, Symbol
from ghostmem.outline.languages.base import Language
from ghostmem.outline.languages.go_.expressions import EXPRESSIONS
from ghostmem.outline.languages.go_.link import link
from ghostmem.outline.languages.go_.lowering import Lowering, Tree
from ghostmem.outline.languages.go_.statements import STATEMENTS, const_specs, spec, type_spec

if TYPE_CHECKING:
    from tree_sitter import Node, Query

QUERY = Path(__file__).with_name("queries") / "go.scm"
_BUILD = re.compile(rb"^//go:build[ \t]+(.*)$", re.MULTILINE)
_MAX_SIGNATURE = 300  # characters of a signature
_TOP = {
    "package_clause": "package",
    "import_declaration": "import",
    "function_declaration": "function",
    "method_declaration": "method",
    "type_declaration": "type",
    "var_declaration": "var",
    "const_declaration": "const",
}
_PARTS = frozenset(["package_identifier", "import_spec", "type_spec", "type_alias", "var_spec"])


def grammar(_path: str = "") -> object:
    """Return the grammar's language capsule; all Go files have the same."""
    import tree_sitter_go

    capsule: object = tree_sitter_go.language()
    return capsule


@cache
def query() -> "Query":
    """Return the compiled query for declarations."""
    from tree_sitter import Language as Grammar
    from tree_sitter import Query

    return Query(Grammar(grammar()), QUERY.read_text(encoding="utf-8"))


def extract(root: "Node", source: bytes, path: str) -> Facts:
    """Return the facts of a file."""
    return _File(source, path).facts(_broken(root) if root.has_error else _declarations(root))


def _declarations(root: "Node") -> dict[str, list["Node"]]:
    """Return the declarations of a file without errors: they are at its top."""
    found: dict[str, list[Node]] = {}
    for node in root.named_children:
        kind = _TOP.get(node.type)
        if kind in {"function", "method", "const"}:
            found.setdefault(kind, []).append(node)
        elif kind is not None:
            inside = node.named_children
            if len(inside) == 1 and inside[0].type in {"var_spec_list", "import_spec_list"}:
                inside = inside[0].named_children
            found.setdefault(kind, []).extend(one for one in inside if one.type in _PARTS)
    return found


def _broken(root: "Node") -> dict[str, list["Node"]]:
    """Return the declarations of a file with errors: they may stand anywhere, and the errors with
    them.
    """
    from tree_sitter import QueryCursor

    found = QueryCursor(query()).captures(root)
    return {
        name: sorted(nodes, key=lambda node: (node.start_byte, node.end_byte))
        for name, nodes in found.items()
    }


class _File:
    """The facts of one file while they are collected."""

    def __init__(self, source: bytes, path: str) -> None:
        self.source = source
        self.path = path
        self.low = Lowering(source, EXPRESSIONS, STATEMENTS)
        self.symbols: list[Symbol] = []
        self.specs: list[Tree] = []
        self.bodies: list[list[Tree]] = []

    def facts(self, found: dict[str, list["Node"]]) -> Facts:
        package = found.get("package", [])
        for node in found.get("type", []):
            self._type(node)
        for node in found.get("function", []) + found.get("method", []):
            self._function(node)
        for node in found.get("var", []):
            self._values(node, spec(self.low, node), "variable")
        for node in found.get("const", []):
            for one, lowered in const_specs(self.low, node):
                self._values(one, lowered, "constant")
        imports = [brought for node in found.get("import", []) if (brought := self._import(node))]
        errors = {self.low.line(node.start_byte) for node in found.get("error", [])} | set(
            self.low.cut
        )
        return Facts(
            package=self.low.text(package[0]) if package else "",
            symbols=self.symbols,
            imports=imports,
            detail=self._detail(package[0].start_byte if package else 0),
            errors=sorted(errors),
            rest=self.bodies,
        )

    def _detail(self, head: int) -> dict[str, Any]:
        build = _BUILD.search(self.source[:head])
        return {
            "sha": hashlib.sha256(self.source).hexdigest(),
            "lines": self.source.count(b"\n") + 1,
            "test": 1 if self.path.endswith("_test.go") else 0,
            "build": build.group(1).decode("utf-8", "replace").strip() if build else "",
            "specs": _packed(self.specs),
        }

    def _add(
        self,
        name: str,
        kind: str,
        node: "Node",
        signature: str,
        tree: Any = None,
        parent: int = FILE,
        receiver: str = "",
    ) -> int:
        start, stop = node.start_byte, node.end_byte
        first, last = self.low.line(start), self.low.line(max(start, stop - 1))
        owner = receiver if parent == FILE else self.symbols[parent].name
        self.symbols.append(
            Symbol(
                name,
                kind,
                parent,
                first,
                last,
                start,
                stop,
                signature,
                None if tree is None else _packed(tree),
                f"{owner}.{name}" if owner else name,
                hashlib.sha256(self.source[start:stop]).hexdigest(),
            )
        )
        return len(self.symbols) - 1

    def _line(self, start: int, stop: int) -> str:
        return " ".join(
            self.source[start : min(stop, start + 4 * _MAX_SIGNATURE)]
            .decode("utf-8", "replace")
            .split()
        )[:_MAX_SIGNATURE]

    def _head(self, node: "Node", word: str) -> str:
        end = self.source.find(b"\n", node.start_byte, node.end_byte)
        line = self._line(node.start_byte, end if end >= 0 else node.end_byte)
        return f"{word} {line.removesuffix('{').rstrip()}"

    def _function(self, node: "Node") -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        body = node.child_by_field_name("body")
        signature = self._line(
            node.start_byte, body.start_byte if body is not None else node.end_byte
        )
        tree: dict[str, Any] = {
            "params": self.low.type_params(node.child_by_field_name("type_parameters")),
            "sig": self.low.signature(node),
        }
        if node.type == "method_declaration":
            receiver, _ = self.low.params(node.child_by_field_name("receiver"))
            tree["recv"] = receiver[0] if receiver else ["", ["?"]]
        self.bodies.append(self.low.block(body))
        kind, owner = ("method", _receiver(tree["recv"][1])) if "recv" in tree else ("function", "")
        self._add(self.low.text(name), kind, node, signature, tree, receiver=owner)

    def _type(self, node: "Node") -> None:
        tree = type_spec(self.low, node)
        shape = tree[3][0]
        if tree[1] == "_":
            return
        kind = "interface" if shape == "if" and not tree[4] else "type"
        index = self._add(tree[1], kind, node, self._head(node, "type"), tree)
        inner = node.child_by_field_name("type")
        if inner is not None and shape == "st":
            for body in inner.named_children:
                self._fields(body, index)
        elif inner is not None and shape == "if":
            for one in inner.named_children:
                name = one.child_by_field_name("name") if one.type == "method_elem" else None
                if name is not None:
                    self._add(
                        self.low.text(name),
                        "method",
                        one,
                        self._line(one.start_byte, one.end_byte),
                        parent=index,
                    )

    def _fields(self, body: "Node", parent: int) -> None:
        for one in body.named_children:
            names = [
                name for name in one.children_by_field_name("name") if self.low.text(name) != "_"
            ]
            for name in names if one.type == "field_declaration" else ():
                self._add(
                    self.low.text(name),
                    "field",
                    one,
                    self._line(one.start_byte, one.end_byte),
                    parent=parent,
                )

    def _values(self, node: "Node", lowered: Tree, kind: str) -> None:
        word = "var" if kind == "variable" else "const"
        self.specs.append(lowered)
        for place, name in enumerate(lowered[1]):
            if name != "_":
                self._add(name, kind, node, self._head(node, word), [len(self.specs) - 1, place])

    def _import(self, node: "Node") -> Import | None:
        path = node.child_by_field_name("path")
        if path is None:
            return None
        name = node.child_by_field_name("name")
        alias = self.low.text(name) if name is not None else ""
        target = self.low.text(path).strip('"`')
        return Import(
            target,
            self.low.line(node.start_byte),
            alias="" if alias == "." else alias,
            star=alias == ".",
        )


def _receiver(tree: Tree) -> str:
    """Return a receiver's type as it is shown: without its parameters, with its star."""
    form = "(*{})" if tree[0] == "*" else "{}"
    while tree[0] in {"*", "["}:
        tree = tree[1]
    return form.format(tree[1] if tree[0] == "i" else "_")


_packed = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False).encode


LANGUAGE = Language(
    name="go",
    suffixes=(".go",),
    grammar=grammar,
    package="tree-sitter-go",
    version=5,
    extract=extract,
    link=link,
)
