"""C and C++ syntax as plain data: declarators, types, qualified names and parameter lists."""

from typing import Any, NamedTuple

from tree_sitter import Node

from ghostmem.outline.languages.shared.postorder import Walk

MAX_TYPE_DEPTH = 16  # types inside each other
MAX_DECLARATORS = 64  # inside each other
INITIALISERS = ("argument_list", "initializer_list")
RECORDS = frozenset({"struct_specifier", "class_specifier", "union_specifier", "enum_specifier"})
NAMES = frozenset({"identifier", "field_identifier", "type_identifier", "namespace_identifier"})
WRAPPERS = frozenset(
    {"pointer_declarator", "reference_declarator", "array_declarator", "init_declarator"}
    | {"parenthesized_declarator", "attributed_declarator", "function_declarator"}
    | {"bitfield_clause", "structured_binding_declarator"}
)
INDIRECT = frozenset({"pointer_declarator", "reference_declarator"})
DECLARATORS = WRAPPERS | NAMES | {"qualified_identifier", "operator_name", "destructor_name"}


class Declared(NamedTuple):
    """The parts of a declarator: the segments of the name, and the kinds of the nodes around it."""

    path: list[str]
    wrappers: list[str]
    function: Node | None  # the function declarator, if a function is declared and no pointer to it
    pointer: bool  # to a function

    @property
    def is_indirect(self) -> bool:
        """Tell whether this declares a pointer or a reference."""
        return not INDIRECT.isdisjoint(self.wrappers)


def declared(walk: Walk, node: Node | None) -> Declared | None:
    """Return the parts of a declarator; None when it has no name."""
    function: Node | None = None
    wrappers: list[str] = []
    pointer = False
    while node is not None and node.type in WRAPPERS and len(wrappers) < MAX_DECLARATORS:
        if node.type == "function_declarator":
            function, pointer = node, False
        elif node.type == "pointer_declarator" and function is not None:
            pointer = pointer or wrappers[-1] == "parenthesized_declarator"
        wrappers.append(node.type)
        node = node.child_by_field_name("declarator") or next(
            (child for child in node.named_children if child.type in DECLARATORS), None
        )
    path = path_of(walk, node)
    return Declared(path, wrappers, None if pointer else function, pointer) if path else None


def path_of(walk: Walk, node: Node | None) -> list[str]:
    """Return the segments of a name without template arguments; empty when it is no name.

    A leading :: is an empty segment.
    """
    found: list[str] = []
    while node is not None:
        match node.type:
            case "qualified_identifier":
                scope = node.child_by_field_name("scope")
                found += path_of(walk, scope) if scope is not None else [""]
                node = node.child_by_field_name("name")
            case "template_type" | "template_function" | "template_method" | "dependent_name":
                node = node.child_by_field_name("name") or next(iter(node.named_children), None)
            case "nested_namespace_specifier":
                return found + [part for one in node.named_children for part in path_of(walk, one)]
            case kind if kind in NAMES or kind in ("destructor_name", "operator_name"):
                return [*found, "".join(walk.name(node).split())]
            case _:
                return []
    return []


def type_of(walk: Walk, node: Node | None, depth: int = 0) -> Any:
    """Return a type as plain data, without pointers and references; None for `auto`, and when it is
    not understood.
    """
    if node is None or depth > MAX_TYPE_DEPTH:
        return None
    match node.type:
        case "type_descriptor":
            return type_of(walk, node.child_by_field_name("type"), depth + 1)
        case "primitive_type" | "sized_type_specifier":
            return ["P", walk.text(node)]
        case "placeholder_type_specifier":
            return None
        case kind if kind in RECORDS:
            path = path_of(walk, node.child_by_field_name("name"))
            return ["T", path, [], True] if path else None
    path = path_of(walk, node)
    return ["T", path, arguments_of(walk, node, depth), False] if path else None


def arguments_of(walk: Walk, node: Node | None, depth: int = 0) -> list[Any]:
    """Return the template arguments at the end of a name."""
    while node is not None and node.type == "qualified_identifier":
        node = node.child_by_field_name("name")
    given = (
        node.child_by_field_name("arguments")
        if node is not None and node.type.startswith("template_")
        else None
    )
    return (
        [type_of(walk, one, depth + 1) for one in given.named_children] if given is not None else []
    )


def parameters_of(walk: Walk, function: Node | None) -> tuple[list[Node], list[int], list[str]]:
    """Return the parameters of a function, how few and how many arguments it takes (-1: any), and
    their types as written.
    """
    held = function.child_by_field_name("parameters") if function is not None else None
    nodes: list[Node] = []
    least, most, types = 0, 0, []
    for one in held.children if held is not None else []:
        if one.type in ("...", "variadic_parameter", "variadic_parameter_declaration"):
            most = -1
        elif one.type in ("parameter_declaration", "optional_parameter_declaration", "identifier"):
            typed = walk.text(one.child_by_field_name("type"))
            if typed == "void" and one.child_by_field_name("declarator") is None:
                continue
            nodes.append(one)
            types.append(typed.rsplit("::", 1)[-1])
            least += one.type != "optional_parameter_declaration"
            most += 1 if most >= 0 else 0
    return nodes, [least, most], types


def arguments_in(node: Node | None) -> list[Node]:
    """Return the arguments in a list of them."""
    return [kid for kid in node.named_children if kid.type != "comment"] if node is not None else []


def is_named(kind: Any) -> bool:
    """Tell whether a type as plain data has a name."""
    return bool(kind) and bool(kind[0] == "T")
