"""A symbol is found by its whole name, by the end of it, or by its bare name; a qualifier never widens."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.outline.find import bare
from ghostmem.outline.graph import NATIVE, Linked, OutlineNode, file_id, outside_id, project_id
from outline.conftest import find, nearest


def graph(*symbols: tuple[str, str, int]) -> Linked:
    """Return a graph of symbols: name, file and line."""
    nodes = [
        OutlineNode(project_id(file, name, line), name, "function", file=file, line=line)
        for name, file, line in symbols
    ]
    files = [
        OutlineNode(file_id(file), file, "file", file=file)
        for file in {file for _, file, _ in symbols}
    ]
    return Linked({node.id: node for node in (*nodes, *files)})


def places(linked: Linked, symbol: str, file: str = "") -> list[tuple[str, int]]:
    """Return where a symbol is found."""
    return [(node.file, node.line) for node in find(linked, symbol, file)]


GO = graph(
    ("outline.(*Manager).Register", "manager.go", 42),
    ("outline.Manager", "manager.go", 9),
    ("outline.Set.Register", "set.go", 3),
    ("main.Register", "main.go", 1),
)


@pytest.mark.parametrize(
    "symbol",
    [
        *"outline.(*Manager).Register outline.Manager.Register outline.(Manager).Register".split(),
        *"outline.*Manager.Register (*Manager).Register *Manager.Register".split(),
        *("Manager.Register", "Manager.Register()", "  Manager.Register "),
    ],
)
def test_a_pointer_and_parentheses_are_optional(symbol: str) -> None:
    """However a Go method is written, it is that one."""
    assert places(GO, symbol) == [("manager.go", 42)]


def test_the_whole_name_wins_over_the_end_of_another() -> None:
    """`a.b` is a symbol, so `x.a.b` is not meant."""
    linked = graph(("a.b", "one.py", 1), ("x.a.b", "two.py", 1))
    assert places(linked, "a.b") == [("one.py", 1)]
    assert places(linked, "b") == [("one.py", 1), ("two.py", 1)]


def test_a_bare_name_finds_all_in_order_of_file_and_line() -> None:
    """Several hits come by file, then by line."""
    assert places(GO, "Register") == [("main.go", 1), ("manager.go", 42), ("set.go", 3)]


@pytest.mark.parametrize(
    "symbol",
    ["Other.Register", "nope.outline.Set.Register", "anager.Register", "egister", "Set:Register"],
)
def test_a_qualifier_never_widens(symbol: str) -> None:
    """A qualifier that no symbol has finds nothing, also where the bare name exists."""
    assert places(GO, symbol) == []


def test_a_file_restricts() -> None:
    """With a file only its symbols count."""
    assert places(GO, "Register", "set.go") == [("set.go", 3)]
    assert places(GO, "outline.Set.Register", "main.go") == []


def test_two_of_one_name_are_both_found() -> None:
    """Names that are equal stay two symbols."""
    linked = graph(("m.f", "m.py", 9), ("m.f", "m.py", 2))
    assert places(linked, "m.f") == [("m.py", 2), ("m.py", 9)]


JAVA = graph(
    ("a.B.m(String)", "B.java", 1),
    ("a.B.m(int,List<String>)", "B.java", 2),
    ("a.B.m(String[])", "B.java", 3),
)


@pytest.mark.parametrize(
    ("symbol", "lines"),
    [
        ("a.B.m", [1, 2, 3]),
        ("m", [1, 2, 3]),
        ("B.m()", [1, 2, 3]),
        ("B.m(String)", [1]),
        ("B.m(int, List<String>)", [2]),
        ("a.B.m(String[])", [3]),
        ("B.m(long)", []),
        ("String)", []),
    ],
)
def test_parameters_choose_among_overloads(symbol: str, lines: list[int]) -> None:
    """Parameters are optional, and filter when they are there."""
    assert [line for _, line in places(JAVA, symbol)] == lines


@pytest.mark.parametrize(
    ("name", "symbols", "not_symbols"),
    [
        (
            "src/mailer#Mailer.send",
            ["Mailer.send", "mailer#Mailer.send", "send", "#Mailer.send"],
            ["ailer#Mailer.send", "mailer.Mailer.send"],
        ),
        (
            "crate::net::<Tcp as Link>::open",
            ["<Tcp as Link>::open", "Tcp::open", "net::Tcp::open", "open"],
            ["Link::open", "::open"],
        ),
        (
            "ns::Box::get",
            ["Box::get", "Box<int>::get", "::ns::Box::get"],
            ["::Box::get", "Box.get"],
        ),
        ("src/a.c:helper", ["helper", "a.c:helper"], ["b.c:helper"]),
        ("A::B#save", ["B#save", "#save", "save"], ["B.save"]),
        (
            "App\\Mail\\Sender::send",
            ["Sender::send", "Mail\\Sender::send", "\\App\\Mail\\Sender::send"],
            ["\\Mail\\Sender::send"],
        ),
        ("list.(*List).Push", ["List[int].Push", "(*List[T]).Push"], ["ist.Push"]),
    ],
)
def test_names_of_every_language(name: str, symbols: list[str], not_symbols: list[str]) -> None:
    """The ends of a name are cut where its language separates; a leading :: or backslash means the whole name."""
    linked = graph((name, "f", 1))
    assert [symbol for symbol in symbols if not find(linked, symbol)] == []
    assert [symbol for symbol in not_symbols if find(linked, symbol)] == []


def test_the_import_path_tells_packages_apart() -> None:
    """What is printed for two packages of one name can be asked for."""
    nodes = [
        OutlineNode(
            f"{at}#", "util.F", "function", file=f"{at}/u.go", line=1, full=f"x.org/p/{at}/util.F"
        )
        for at in ("a", "b")
    ]
    linked = Linked({node.id: node for node in nodes})
    assert len(find(linked, "util.F")) == 2
    assert places(linked, "b/util.F") == [("b/u.go", 1)]
    assert places(linked, "x.org/p/a/util.F") == [("a/u.go", 1)]


def test_what_is_outside_is_found_by_its_whole_name_only() -> None:
    """Who calls a native can be asked; a bare name never means one."""
    native = OutlineNode(
        outside_id(NATIVE, "strings.ToLower"), "strings.ToLower", "function", NATIVE
    )
    linked = Linked({native.id: native})
    assert find(linked, "strings.ToLower") == [native]
    assert find(linked, "ToLower") == []


def test_files_are_no_symbols() -> None:
    """A file is asked for by its path elsewhere."""
    assert find(GO, "manager.go") == []


@pytest.mark.parametrize(
    "symbol",
    ["", " ", *". :: \\ () (*) # [ <> \0".split(" "), "a" * 100_000, "(" * 5000, "<" * 5000],
)
def test_any_input_is_looked_up(symbol: str) -> None:
    """Nonsense finds nothing, and raises nothing."""
    assert find(GO, symbol) == []
    assert isinstance(nearest(GO, symbol), list)


def test_the_nearest_names_are_five_and_likest_first() -> None:
    """A typing mistake is helped; the qualifier decides among equals."""
    names = "Mailer.send Queue.send Queue.sender Queue.resend Queue.sends Queue.bsend zzz".split()
    linked = graph(*((f"a.{name}", "a.py", line) for line, name in enumerate(names)))
    found = nearest(linked, "Queue.sennd")
    assert found[:2] == ["a.Queue.send", "a.Mailer.send"]
    assert len(found) == 5
    assert "a.zzz" not in found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.(*T).M", "M"),
        ("a.B.m(x.Y)", "m"),
        ("A::B#save", "save"),
        ("f.c:g", "g"),
        ("src/a#b", "b"),
        ("x", "x"),
        ("A#/", "A#/"),
    ],
)
def test_the_bare_name(name: str, expected: str) -> None:
    """The last part is what a call site says."""
    assert bare(name) == expected


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a.b", "a.b.c", "c", "x.c", "b.c", "B#c"]),
            st.sampled_from("fg"),
            st.integers(1, 9),
        ),
        max_size=12,
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_graph_does_not_matter(
    symbols: list[tuple[str, str, int]], chance: random.Random
) -> None:
    """The same symbols give the same answer, and every answer ends as asked."""
    shuffled = list(symbols)
    chance.shuffle(shuffled)
    for symbol in ("c", "b.c", "a.b.c", "C"):
        found = find(graph(*symbols), symbol)
        assert found == find(graph(*shuffled), symbol)
        assert all(node.name.endswith(symbol) for node in found)
        assert nearest(graph(*symbols), symbol) == nearest(graph(*shuffled), symbol)
