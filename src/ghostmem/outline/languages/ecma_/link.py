"""Link a JavaScript or TypeScript project: each reference becomes a link, or is unresolved."""

import posixpath
from collections.abc import Mapping

from ghostmem.outline.facts import FILE, Facts, Ref, Symbol
from ghostmem.outline.graph import Linked, file_id
from ghostmem.outline.languages.base import Read
from ghostmem.outline.languages.ecma_.infer import EcmaInference, class_of, function_of
from ghostmem.outline.languages.ecma_.names import Key, Referent, sort_of
from ghostmem.outline.languages.shared.graph_builder import MET, GraphBuilder

IGNORED = frozenset(
    {"undefined", "arguments", "NaN", "Infinity", "this", "super", "import", "exports", "module"}
)
DATA = frozenset({"variable", "constant"})


def link(files: Mapping[str, Facts], read: Read) -> Linked:
    """Return the graph of a project's files."""
    return _EcmaLinker(EcmaInference(files, read)).run()


def stem(path: str) -> str:
    """Return a path without its suffix."""
    return path.removesuffix(".d.ts") if path.endswith(".d.ts") else posixpath.splitext(path)[0]


class _EcmaLinker(GraphBuilder):
    def __init__(self, inference: EcmaInference) -> None:
        super().__init__(inference.files)
        self.inference = inference

    def run(self) -> Linked:
        """Return the graph."""
        for path, facts in self.files.items():
            self._declare(path, facts)
        steps = {"calls": self._call, "accesses": self._data, "assigns": self._data}
        for path, facts in self.files.items():
            self._imports(path, facts)
            for ref in facts.refs:
                steps.get(ref.kind, self._type)(path, ref)
        return self.linked()

    def _declare(self, path: str, facts: Facts) -> None:
        self.add_file(path)
        names: list[str] = []
        for number, symbol in enumerate(facts.symbols):
            above = f"{stem(path)}#" if symbol.parent == FILE else f"{names[symbol.parent]}."
            names.append(above + symbol.name)
            key = self.add_symbol(path, number, names[-1])
            self.add(self.owner(path, symbol.parent), "declares", key, symbol.line, "local")

    def _imports(self, path: str, facts: Facts) -> None:
        importer = file_id(path)
        for one in facts.imports:
            origin, place = self.inference.paths.find(path, one.path)
            if origin == "file":
                self.add(importer, "imports", file_id(place), one.line, "import")
            elif origin == "missing":
                last = stem(one.path.rpartition("/")[2])
                self.leave(importer, "imports", one.path, one.line, last)
            else:
                module = self.outside(origin, place, "module", place)
                self.add(importer, "imports", module, one.line, origin)

    def _to(self, path: str, ref: Ref, kind: str, referents: list[Referent], via: str) -> None:
        """Link a reference to all its referents."""
        owner = self.owner(path, ref.owner)
        met = MET.get(kind, "type")
        several = "conditional" if len({one[:2] for one in referents}) > 1 else ""
        for referent in referents:
            match referent:
                case ("symbol" | "member", key, *_):
                    step = "interface" if self._is_abstract(key) else via
                    self.add(owner, kind, self.ids[key], ref.line, several or step)
                case ("native" | "external" as origin, *names):
                    package = names[0] if origin == "external" else ""
                    outside = self.outside(origin, "#".join(filter(None, names)), met, package)
                    self.add(owner, kind, outside, ref.line, origin)

    def _symbol(self, referent: Referent) -> Symbol | None:
        """Return the symbol that a referent is, if it is one."""
        return self.inference.symbol(referent[1]) if referent[0] in {"symbol", "member"} else None

    def _is_abstract(self, key: Key) -> bool:
        """Tell whether a member has no body because it is of an interface or an alias."""
        symbol = self.inference.symbol(key)
        if symbol.parent == FILE or symbol.kind not in {"method", "field"}:
            return False
        above = self.inference.symbol((key[0], symbol.parent))
        return above.kind == "interface" or (
            above.kind == "type"
            and above.signature.lstrip().startswith(("type ", "export type ", "declare type "))
        )

    # calls

    def _call(self, path: str, ref: Ref) -> None:
        number, mode = ref.detail
        callees, via, settled = self._callees(path, number)
        if mode != "call":
            self._constructed(path, ref, callees, via)
            callees = [self._constructor(one) for one in callees]
        if callees:
            self._to(path, ref, "calls", callees, via)
        elif not settled:
            self.loose(path, ref)

    def _constructed(self, path: str, ref: Ref, callees: list[Referent], via: str) -> None:
        """Link a reference to the classes that `new` or a JSX element names."""
        is_new = ref.detail[1] == "new"  # a JSX element from outside may also be a function
        classes = [
            one
            for one in callees
            if (self.inference.symbol(one[1]).kind == "type" if one[0] == "symbol" else is_new)
        ]
        self._to(path, ref, "uses", classes, via)

    def _constructor(self, referent: Referent) -> Referent:
        """Return the constructor of a class that has one, otherwise the referent."""
        if referent[0] != "symbol":
            return referent
        constructors = self.inference.declared(referent[1], "constructor")
        return ("symbol", constructors[0]) if constructors else referent

    def _callees(self, path: str, number: int) -> tuple[list[Referent], str, bool]:
        """Return the callees of a call, how they were found, and whether it calls a function
        without a name, which needs no link.
        """
        match self.inference.row(path, number):
            case ["id", name, scope]:
                referents, via = self.inference.referents(path, name, scope)
            case ["super", scope]:
                base = self.inference.super_type(self.inference.this(path, scope))
                referents, via = [self._constructor(one) for one in class_of(base)], "receiver"
            case ["m", target, name]:
                referents, via = self._member(path, target, name)
            case _:
                of = self.inference.type_of(path, number)
                return function_of(of), "type", sort_of(of) == "anonymous"
        callees = list(
            dict.fromkeys(one for referent in referents for one in self._functions(referent))
        )
        sorts = (sort_of(self.inference.value(one)) for one in referents)
        return callees, via, "anonymous" in sorts

    def _member(self, path: str, target: int, name: str) -> tuple[list[Referent], str]:
        """Return the referents of a member of an expression, and how they were found."""
        of = self.inference.type_of(path, target)
        sort = sort_of(of)
        if sort in {"function", "anonymous", "function type"} and name in {"call", "apply", "bind"}:
            called = function_of(of) if name != "bind" else []  # bind does not call the function
            return called or [("native", f"Function.{name}")], "type"
        via = "import" if sort == "module" else "type"
        if self.inference.row(path, target)[0] in {"this", "super"}:
            via = "receiver"
        return self.inference.member(of, name), via

    def _functions(self, referent: Referent) -> list[Referent]:
        """Return the functions and classes that are called if a referent is called."""
        if referent[0] in {"native", "external"}:
            return [referent]
        symbol = self._symbol(referent)
        if symbol and symbol.kind in {"interface", "module"}:
            return []
        is_function = symbol and (
            (symbol.kind in {"function", "method", "type"} and not symbol.detail.get("get"))
            or (symbol.kind == "field" and self._is_abstract(referent[1]))
        )
        return (
            [("symbol", referent[1])]
            if is_function
            else function_of(self.inference.value(referent))
        )

    # data

    def _data(self, path: str, ref: Ref) -> None:
        number, mode = ref.detail
        if mode == "member":
            self._data_member(path, ref, number)
            return
        _, name, scope = self.inference.row(path, number)
        referents, via = self.inference.referents(path, name, scope)
        sort = referents[0][0] if referents else ""
        if name in IGNORED or sort in {"binding", "type parameter"}:
            return
        if not referents:
            self.loose(path, ref)
            return
        if mode == "alone" or sort not in {"native", "external"}:
            self._to(path, ref, ref.kind, [one for one in referents if self._is_data(one)], via)
        self._to(path, ref, "uses", [one for one in referents if self._is_used(one)], via)

    def _is_data(self, referent: Referent) -> bool:
        """Tell whether naming something reads or writes it: a variable, not a class or a module."""
        sort, name = referent[0], referent[-1]
        if sort == "symbol":
            return self.inference.symbol(name).kind in DATA
        return bool(name) if sort == "external" else sort == "native" and not name[:1].isupper()

    def _is_used(self, referent: Referent) -> bool:
        """Tell whether naming something uses it: a class, or a function that is not called."""
        symbol = self._symbol(referent)
        if symbol and symbol.kind == "method":
            return not (symbol.detail.get("get") or symbol.detail.get("set"))
        return symbol is not None and symbol.kind in {"type", "function"}

    def _data_member(self, path: str, ref: Ref, number: int) -> None:
        """Link a read or write of a static field, an exported variable, or an accessor."""
        _, target, name = self.inference.row(path, number)
        referents, via = self._member(path, target, name)
        accessor = "get" if ref.kind == "accesses" else "set"
        found: dict[str, list[Referent]] = {"calls": [], ref.kind: [], "uses": []}
        for referent in referents:
            symbol = self._symbol(referent)
            if symbol and symbol.detail.get(accessor):
                found["calls"].append(referent)
            elif symbol and (
                symbol.kind in DATA or (symbol.kind == "field" and symbol.detail.get("static"))
            ):
                found[ref.kind].append(referent)
            elif ref.kind == "accesses" and self._is_used(referent):
                found["uses"].append(referent)
        for kind, targets in found.items():
            self._to(path, ref, kind, targets, via)

    # types

    def _type(self, path: str, ref: Ref) -> None:
        term, scope = ref.detail
        if term and term[0] == "n":
            found, via = self._named_types(path, ref)
        else:
            computed = (
                self.inference.base(term, path, scope, ()) if term and term[0] == "x" else None
            )
            found, via = class_of(computed), "type"
        self._to(path, ref, ref.kind, found, via)
        if not found:
            self.loose(path, ref)

    def _named_types(self, path: str, ref: Ref) -> tuple[list[Referent], str]:
        """Return the referents of the name of a type, and how they were found."""
        term, scope = ref.detail
        referents = self.inference.type_referents(term[1], path, scope)
        is_value = ref.kind == "extends" and not referents
        if is_value:
            referents = class_of(self.inference.base(term, path, scope, ()))
        found = [
            one
            for one in referents
            if one[0] != "symbol"
            or self.inference.symbol(one[1]).kind in {"type", "interface", "function"}
        ]
        first = term[1].partition(".")[0]
        _, via = self.inference.referents(path, first, scope, types=not is_value)
        return found[:1] if ref.kind == "uses" else found, via
