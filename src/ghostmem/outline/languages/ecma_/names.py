"""What a name leads to: in a scope, through an import, among the exports of a file."""

from typing import Any

from ghostmem.outline.languages.ecma_.natives import GLOBAL_TYPES, GLOBAL_VALUES
from ghostmem.outline.languages.ecma_.world import EcmaWorld, Thing
from ghostmem.outline.languages.shared.types import MAX_DEPTH


class EcmaNames(EcmaWorld):
    """Look names up."""

    def lookup(
        self, path: str, name: str, scope: int, types: bool = False
    ) -> tuple[list[Any], int]:
        """Return what a name is bound to and in which scope, nothing when it is nowhere."""
        key = (path, name, scope, types)
        if key not in self.bound:
            self.bound[key] = self._lookup(path, name, scope, types)
        return self.bound[key]

    def _lookup(self, path: str, name: str, scope: int, types: bool) -> tuple[list[Any], int]:
        scopes = self.detail(path, "scopes")
        while scope >= 0:
            names = scopes[scope][2]
            found = names.get("^" + name if types else name)
            if found is None and types:
                found = [one for one in names.get(name, ()) if one[0] in {"i", "v"}] or None
            if found:
                return found, scope
            scope = scopes[scope][0]
        return [], -1

    def things(
        self, path: str, name: str, scope: int, types: bool = False
    ) -> tuple[list[Thing], str]:
        """Return what a name leads to, and by which rung."""
        found, at = self.lookup(path, name, scope, types)
        if not found:
            if name in GLOBAL_TYPES or (not types and name in GLOBAL_VALUES):
                return [("native", name)], "native"
            return [], ""
        match found[0][0]:
            case "i":
                given = self.files[path].imports[found[0][1]]
                return self.imported(path, given.path, given.name), "import"
            case "s":
                symbols: list[Thing] = [("sym", (path, one[1])) for one in found if one[0] == "s"]
                return symbols, "local" if self._is_inside(path, at) else "module"
            case "t":
                return [("param", name, at)], "local"
        return [("value", path, found[-1], at)] if len(found) == 1 else [], "local"

    def _is_inside(self, path: str, scope: int) -> bool:
        return scope != 0 and (path, scope) not in self.spaces

    def imported(self, path: str, module: str, name: str) -> list[Thing]:
        """Return what a name of a module leads to."""
        where, place = self.paths.find(path, module)
        if where == "file":
            return self.export(place, name)
        if where == "missing":
            return []
        whole = name in {"*", "=", "default", ""}
        if where == "native":
            return [("native", place if whole else f"{place}.{name}")]
        return [("external", place, "" if whole else name)]

    def export(self, path: str, name: str) -> list[Thing]:
        """Return what a file hands out under a name, following re-exports."""
        key = (path, name)
        if key not in self.handed:
            self.handed[key] = []  # what leads back to itself is nothing
            before = self.guesses
            self.handed[key] = found = self._export(path, name, frozenset())
            if self.guesses != before:  # by types that may be better known later
                del self.handed[key]
            return found
        return self.handed[key]

    def _export(self, path: str, name: str, seen: frozenset[tuple[str, str]]) -> list[Thing]:
        if (path, name) in seen or len(seen) > MAX_DEPTH:
            return []
        seen |= {(path, name)}
        exports = self.detail(path, "exports")
        if name == "*" or (name == "=" and "=" not in exports):
            return [("mod", path)]
        if name not in exports and "=" in exports:
            whole = self._export(path, "=", seen)
            if name == "default":
                return whole
            self.guesses += 1
            return [one for thing in whole for one in self.member(self.value(thing), name)]
        if name in exports:
            return self.exported(path, exports[name], seen)
        if name == "default":
            return (
                [("mod", path)]
                if exports and not self.detail(path, "stars") and self._is_commonjs(path)
                else []
            )
        return self._starred(path, name, seen)

    def _is_commonjs(self, path: str) -> bool:
        return any(
            one[0] in {"expr", "sym"}
            for name, one in self.detail(path, "exports").items()
            if name != "default"
        )

    def exported(
        self, path: str, what: list[Any], seen: frozenset[tuple[str, str]] = frozenset()
    ) -> list[Thing]:
        """Return what stands behind a name among the exports of a file."""
        match what:
            case ["sym", number]:
                return [("sym", (path, number))]
            case ["expr", number]:
                return [("row", path, number)]
            case ["from", module, name]:
                return self._through(path, module, name, seen)[0]
        value, _ = self.things(path, what[1], 0)
        kind, _ = self.things(path, what[1], 0, types=True)
        outside = [one for one in value if one[0] != "native" or self.lookup(path, what[1], 0)[0]]
        return outside + [
            one
            for one in kind
            if one not in outside and (one[0] != "native" or self.lookup(path, what[1], 0, True)[0])
        ]

    def _through(
        self, path: str, module: str, name: str, seen: frozenset[tuple[str, str]]
    ) -> tuple[list[Thing], bool]:
        """Return what another module hands out, and whether that is a file of the project."""
        where, place = self.paths.find(path, module)
        if where == "file":
            return self._export(place, name, seen), True
        return self.imported(path, module, name), False

    def _starred(self, path: str, name: str, seen: frozenset[tuple[str, str]]) -> list[Thing]:
        """Return a name that comes through `export *`, when just one source has it."""
        found: list[list[Thing]] = []
        outside: list[list[Thing]] = []
        for module in self.detail(path, "stars"):
            given, within = self._through(path, module, name, seen)
            rows = found if within else outside
            if given and given not in rows:
                rows.append(given)
        rows = found or outside
        return rows[0] if len(rows) == 1 else []
