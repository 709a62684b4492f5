"""The scopes of Python files, and which bindings of a name reach a place."""

from collections.abc import Iterator, Mapping
from sys import intern
from typing import Any, NamedTuple

from ghostmem.outline.facts import Facts
from ghostmem.outline.languages.python_.tables import ELSEWHERE, LATE, PythonRef, Row

# op, position, block, first, second, symbol; of a narrowing, whether it takes away
Bind = list[Any]


class Scopes:
    """The scopes, blocks and bindings of one file."""

    __slots__ = ("blocks", "scopes")

    def __init__(self, scopes: list[dict[str, Any]], blocks: list[list[int]]) -> None:
        self.scopes = scopes
        self.blocks = blocks

    def lookup(self, word: str, scope: int, block: int, pos: int) -> tuple[list[Bind], int]:
        """Return the bindings that a name may have at a place, and the scope that they are of; -1
        when there is none.
        """
        first = True
        while scope >= 0:
            table = self.scopes[scope]
            moved = table["moved"].get(word)
            if moved is not None and moved != scope:
                scope, block, pos, first = moved, -1, LATE, True
                continue
            if first or table["kind"] != "class":
                found = self.reaching(table, word, block, pos)
                if found or (word in table["names"] and table["kind"] in ("function", "comp")):
                    return found, scope
            if table["kind"] == "function":
                block, pos = -1, LATE
            first = first and table["kind"] == "comp" and table["symbol"] == -1
            scope = table["parent"]
        return [], -1

    def reaching(
        self, table: dict[str, Any], word: str, block: int = -1, pos: int = LATE
    ) -> list[Bind]:
        """Return the bindings of a name in a scope that reach a place, by default its end."""
        plain, narrowed = table["names"].get(word, ()), table["narrow"].get(word, ())
        if not narrowed:
            if not plain:
                return []
            if len(plain) == 1 and plain[0][0] != "del" and table["kind"] != "class":
                return [plain[0]]  # by the rules below it reaches every place
        around = list(self._around(block))
        found: list[Bind] = []
        inner = -1  # the block of the binding that hides earlier ones
        for bind in (
            sorted([*plain, *narrowed], key=lambda one: -int(one[1]))
            if narrowed
            else reversed(plain)
        ):
            if bind[1] > pos or self._left(bind[2], around):
                continue
            hides = self._hides(bind[2], around)
            if bind[0] == "narrow" and not hides:
                continue
            if bind[0] != "del":
                found.append(bind)
            if hides:
                inner = bind[2]
                break
        found.extend(self._around_loop(plain, around, inner, pos))
        if not found and table["kind"] != "class":
            return [bind for bind in plain if bind[0] != "del"]
        return found[::-1]

    def _around_loop(
        self, plain: list[Bind], around: list[int], inner: int, pos: int
    ) -> Iterator[Bind]:
        """Yield the bindings further down in a loop around the place: the next turn sees them."""
        loops = [one for one in around if self.blocks[one][1]]
        if not loops:
            return
        hidden = list(self._around(inner))
        loops = [one for one in loops if one not in hidden]
        for bind in plain if loops else ():
            if (
                bind[1] > pos
                and bind[0] != "del"
                and any(one in loops for one in self._around(bind[2]))
            ):
                yield bind

    def _around(self, block: int) -> Iterator[int]:
        while block >= 0:
            yield block
            block = self.blocks[block][0]

    def _hides(self, block: int, around: list[int]) -> bool:
        return block != ELSEWHERE and (block < 0 or self.blocks[block][0] < 0 or block in around)

    def _left(self, block: int, around: list[int]) -> bool:
        """Tell whether a binding's block ends by leaving the function, so that what follows never
        sees it.
        """
        while block >= 0:
            above, _, _, leaves = self.blocks[block]
            if leaves == 1 and block not in around:
                return True
            block = above
        return False


_new = tuple.__new__  # takes half the time of a call of the class


class Loaded(NamedTuple):
    """The tables of one file."""

    refs: list[PythonRef]
    exprs: list[Row]
    scopes: Scopes
    details: list[dict[str, Any]]  # of its symbols


class PythonFiles(dict[str, Loaded]):
    """The tables of all files, by path."""

    def __init__(self, facts: Mapping[str, Facts]) -> None:
        super().__init__()
        self._facts = facts

    def __missing__(self, path: str) -> Loaded:
        """Unfold a file."""
        facts = self._facts[path]
        refs, exprs, scopes, blocks, details = facts.all_of_it() or _NOTHING
        if not isinstance(exprs[0], tuple):  # it made a trip through JSON
            refs, exprs = [_ref(one) for one in refs], [_row(one) for one in exprs]
            for bind in (
                one for scope in scopes for named in scope["names"].values() for one in named
            ):
                bind[0] = intern(bind[0])
        self[path] = found = Loaded(refs, exprs, Scopes(scopes, blocks), details)
        return found


# The same words are written many times, and kept once.


def _ref(row: list[Any]) -> PythonRef:
    row[0], row[2] = intern(row[0]), intern(row[2])
    return _new(PythonRef, row)


def _row(row: list[Any]) -> Row:
    op = row[0]
    if op == "n":
        row[1] = intern(row[1])
    elif op == "a":
        row[2] = intern(row[2])
    elif op == "k":
        row[1], row[2] = intern(row[1]), intern(row[2])
    row[0] = intern(op)
    return tuple(row)


# of a file that is no text
_NOTHING: Any = (
    [],
    [("x",)],
    [{"kind": "module", "parent": -1, "symbol": -1, "names": {}, "narrow": {}, "moved": {}}],
    [],
    [],
)
