"""The interface of a language: a table of its syntax, some flags, and a few functions.

**Table.** One line per type of syntax node: `node_type role key=place ... option ...`. A place is
the name of a field of the grammar or the number of a named child. Node types that are not in the
table are walked through. An example (Go):

    method_declaration  func  name=name params=parameters result=result body=body recv=receiver
    selector_expression member of=operand name=field
    range_clause        range left=left right=right pairs
    map_type            maptype key=key of=value
    type_switch_statement hook fn=type_switch

| role | keys and options (see `Walker.visit_<role>`, `Walker.type_<role>`) |
|---|---|
| func | name params result body type_params recv; named=; options arrow, signature |
| lambda | params result body type_params |
| type | name body type_params, or type (what it is defined as); kind=interface |
| record | a type written in place |
| bind | name type value; kind=constant |
| assign | left right type |
| param | name type value; options many, optional |
| typeparam | bound; in a node given as type_params |
| range | left right body type; option pairs |
| return, block | a return statement; a block (a scope, unless the language hoists) |
| name, member (of name separator; option unsure), index (of) | expressions |
| call (callee args of type_args body; option bare) | |
| new (type args type_args body; option typed) | |
| cast (type of; option shown), either (test), tuple, list | |
| literal (is=str; option walked), this, super, same (of; option only), skip | |
| generic (of; option flat), listtype (of), maptype (key of), uniontype, tupletype | types |
| functype (params result), primitive, notype; also name, member, same, record | |
| hook | fn=: a method of the language for expressions and statements; type_fn=: for types |

A hook is a method `(self, walker, node, form) -> Term | None`. It visits the children itself with
`walker.visit`, `walker.type_term`, `walker.visit_all`; it opens scopes with `walker.inside`, binds
names with `walker.bind` and notes references with `walker.refer`. To give a node another role under
a condition, call `walker.visit_func(node, FORM, False)` with a `form("func name=...")`.

**Terms and values** are listed in `terms`; **facts** in `facts`. A language that needs a term of
its own returns it from a hook, with a tag of its own, and evaluates it in `Rules.evaluate`.

**Members outside of their type** (methods of Go, `impl` of Rust, `A::m` of C++, `A.prototype.m =`):
the symbol gets `symbol.receiver`, the term of the type; it is attached before linking.
A block of them is a symbol of the kind EXTENSION: it adds its bases to those of its receiver.

**Linking** calls the functions of `ResolveRules` and `LinkRules`. The important ones: `module` (the
key of the names that the files share), `imported` (what a path or a member of it is), `canonical`
(names of symbols), `is_native`, `base_relations`, `overloads`, `container_member`, and
`outside_result`.
"""

from typing import Any

from ghostmem.outline.engine import extract as extraction
from ghostmem.outline.engine import link as linking
from ghostmem.outline.languages.base import Language


class Rules(extraction.ExtractRules, linking.LinkRules):
    """The rules of a language."""


def language(
    rules: Rules,
    *,
    name: str,
    grammar: extraction.Grammar,
    package: str,
    version: int,
    **more: Any,
) -> Language:
    """Return a language that the engine extracts and links by its rules."""
    return Language(
        name=name,
        grammar=grammar,
        package=package,
        version=version,
        extract=lambda root, source, path: extraction.extract(rules, grammar, root, source, path),
        link=lambda files, read: linking.link(rules, files, read),
        **more,
    )
