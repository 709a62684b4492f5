"""What a JavaScript or TypeScript file says: a walk without recursion over its tree, one function a
kind of node.
"""

from typing import TYPE_CHECKING

from ghostmem.outline.facts import FILE, Facts, Ref, Symbol
from ghostmem.outline.languages.ecma_.exports import declare_member
from ghostmem.outline.languages.ecma_.references import REFERENCES
from ghostmem.outline.languages.ecma_.statements import STATEMENTS
from ghostmem.outline.languages.ecma_.tables import EcmaTables
from ghostmem.outline.languages.ecma_.type_uses import TYPE_USES
from ghostmem.outline.languages.ecma_.walk import EcmaWalk
from ghostmem.outline.languages.shared.steps import walk
from ghostmem.outline.languages.shared.syntax import error_lines

if TYPE_CHECKING:
    from tree_sitter import Node

HANDLERS = STATEMENTS | REFERENCES | TYPE_USES


def extract(root: "Node", source: bytes, _path: str) -> Facts:
    """Return what a file says."""
    state = EcmaWalk(EcmaTables(source))
    walk(HANDLERS, state, [(root, 0, FILE)], state.tables)
    while state.late:  # members hung on something from outside are declared once everything else is
        walk(HANDLERS, state, declare_member(state, *state.late.pop(0)), state.tables)
    return _facts(state.tables, root)


def _facts(tables: EcmaTables, root: "Node") -> Facts:
    for one in tables.rows:
        if one[0] == "cls":
            one[1] = tables.named.get(one[1], -1)
    refs = [one for one in tables.refs if not _is_local(tables, one)]
    detail = {
        "scopes": tables.scopes,
        "rows": tables.rows,
        "functions": tables.functions,
        "exports": tables.exports,
        "stars": tables.stars,
    }
    symbols = [Symbol(**one) for one in tables.symbols]
    return Facts(
        "", symbols, tables.imports, refs, detail, sorted({*error_lines(root), *tables.cut})
    )


def _is_local(tables: EcmaTables, ref: Ref) -> bool:
    """Say whether a read or write is of a local, which the linker has no use for."""
    if ref.kind not in {"accesses", "assigns"} or tables.rows[ref.detail[0]][0] != "id":
        return False
    _, name, scope = tables.rows[ref.detail[0]]
    while scope >= 0:
        if name in tables.scopes[scope][2]:
            return bool(tables.scopes[scope][2][name][0][0] == "v")
        scope = tables.scopes[scope][0]
    return False
