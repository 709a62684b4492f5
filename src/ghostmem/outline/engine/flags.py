"""The table, names and yes-or-no rules of a language, which all parts of the engine read."""

from collections.abc import Mapping

from ghostmem.outline.engine.table import Form
from ghostmem.outline.engine.terms import SUPER, THIS, Term


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
    virtual: tuple[str, ...] = ("type",)  # how a method of an interface is found, not another one
    merges_declarations = False  # several declarations of one name in a scope are one
    declared_first = False  # a member that a base declares counts more than one that is assigned
    inherits_constructors = False
    shows_first_line = False  # of a declaration, without annotations; else all before its body
    leaves_imports = False  # an imported path without a name outside counts as unresolved
    leaves_members = True  # an unresolved member that is read counts if something has its name
    properties_are_called = False  # reading and writing an accessor is a call
    calls_convert = False  # calling a type is a conversion
    default_bound: Term | None = None  # of a type parameter
    types_are_iterable = False
    reads_members = True  # of types outside; otherwise members that are no symbols do not matter
    leaves_reads = True  # values that are read but not found count as unresolved
