"""The yes-or-no rules of a language, and its table: the role of each type of syntax node."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ghostmem.outline.engine.terms import SUPER, THIS, Term

Place = str | int  # the name of a field of the grammar, or the number of a named child


class Form(NamedTuple):
    """The role of a type of node, where its parts are, and its options.

    `options` holds words without `=`, and `words` those keys whose value is not a place.
    """

    role: str
    places: dict[str, Place]
    options: frozenset[str]
    words: dict[str, str]


class Flags:
    """The properties of a language that need no code, with the defaults of most languages."""

    forms: Mapping[str, Form] = {}
    containers: Mapping[
        str, str
    ] = {}  # generic types: list map tuple union callable type same last
    builtins: frozenset[str] = frozenset()
    jumps: frozenset[str] = frozenset()  # types of statements that leave a block
    words: Mapping[str, str] = {THIS: "this", SUPER: "super"}  # for unresolved references
    constructor = call_method = ""  # the names of these methods
    item_methods: tuple[str, ...] = ()  # methods that give the elements of an object
    separator = "."  # between the name of a module and a name in it
    call_suffix = ""  # appended to names of methods, to set them apart from fields
    strict_uses = False  # only types are used, and not by themselves
    knows_literals = False  # calling a function literal is not an unresolved call
    has_overloads = False  # functions of one name do not replace each other, nor (if there is a
    # call_suffix) those of base types
    merges_modules = False  # names of a module are looked up in all its files at once
    hoists = False  # a block is no scope, and names are bound before their position
    self_parameter = False  # the first parameter of a method is the instance
    defaults_outside = False  # defaults of parameters refer for what is around the function
    members_visible = False  # members have their bare names in their type
    class_scope = False  # so they have, but only directly in the body of the type
    bases_inside = False  # base types are looked up inside of the type
    unpacks = False  # `a, b = x` takes elements of x
    merges_declarations = False  # several declarations of one name in a scope are one
    inherits_constructors = False
    inherits_outside = True  # a member that is not found is that of a base outside
    shows_first_line = False  # of a declaration, without annotations; else all before its body
    leaves_imports = False  # an imported path without a name outside counts as unresolved
    leaves_members = True  # an unresolved member that is read counts if something has its name
    properties_are_called = False  # reading and writing an accessor is a call
    calls_convert = False  # calling a type is a conversion
    default_bound: Term | None = None  # of a type parameter
    reads_members = True  # of types outside; otherwise members that are no symbols do not matter
    leaves_reads = True  # values that are read but not found count as unresolved


_WORD_KEYS = {"kind", "fn", "type_fn", "is", "named"}


def read_table(text: str) -> dict[str, Form]:
    """Return the forms by type of node.

    A line is `node_type,node_type role key=place ... option ...`; what follows `#` is a comment.
    """
    table = {}
    for line in text.splitlines():
        node_types, *words = line.partition("#")[0].split() or [""]
        if words:
            table.update(dict.fromkeys(node_types.split(","), form(" ".join(words))))
    return table


def form(text: str) -> Form:
    """Return a form of its own: `role key=place ... option ...`."""
    words = text.split()
    pairs = [word.split("=", 1) for word in words[1:] if "=" in word]
    return Form(
        words[0],
        {
            key: int(place) if place.lstrip("-").isdigit() else place
            for key, place in pairs
            if key not in _WORD_KEYS
        },
        frozenset(word for word in words[1:] if "=" not in word),
        {key: word for key, word in pairs if key in _WORD_KEYS},
    )


@cache
def words_of(file: str) -> dict[str, frozenset[str]]:
    """Return the words of a data file by the first word of their line."""
    path = Path(__file__).parent.parent / "languages" / "data" / file
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    return {row[0]: frozenset(row[1:]) for row in rows if row and row[0] != "#"}


def groups_of(file: str, group: str) -> dict[str, str]:
    """Return the words of lines `group.meaning word ...`, each with its meaning."""
    return {
        word: key.removeprefix(f"{group}.")
        for key, words in words_of(file).items()
        if key.startswith(f"{group}.")
        for word in words
    }


def names_in(file: str) -> frozenset[str]:
    """Return the full names in a data file: each line has a package, or `-`, and names."""
    return frozenset(
        name if package == "-" else f"{package}.{name}"
        for package, names in words_of(file).items()
        for name in names
    )
