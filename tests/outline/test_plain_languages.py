"""Ruby, C#, PHP and Kotlin, of which an outline has no calls: broken sources, lines and signatures"""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.outline.graph import FORWARD, Linked
from outline.conftest import CASES, check_whole, facts_of, outline

NAMES = ("ruby", "csharp", "php", "kotlin")
SOURCES = {name: CASES[f"{name}: declarations, imports and bases"].sources for name in NAMES}


def symbols(graph: Linked) -> list[tuple[str, int, int]]:
    """Return the symbols with their lines."""
    nodes = [node for node in graph.nodes.values() if node.file and node.kind != "file"]
    return [(node.name, node.line, node.end_line) for node in nodes]


@pytest.mark.parametrize("name", NAMES)
def test_fixtures_parse_and_say_what_is_missing(name: str) -> None:
    """No fixture has an error; signatures are one line; relations that are not found are noted."""
    for case in CASES.values():
        if case.language == name:
            assert not any(facts.errors for facts in facts_of(name, case.sources).values())
    graph = outline(name, SOURCES[name])
    assert all("\n" not in node.signature for node in graph.nodes.values())
    kinds = {link.kind for link in graph.links}
    without = [kind for kind in FORWARD if kind not in kinds]
    assert graph.notes == [f"{name}: {', '.join(without)} are not looked for"]


@pytest.mark.parametrize("name", NAMES)
def test_names_may_be_missing(name: str) -> None:
    """Words without what should follow them declare nothing, and stop nothing."""
    words = "class < ; class : { } namespace ; use ; import ; using ; module ; interface extends ; def ; fun ; enum"
    assert outline(name, {"x": f"<?php {words}" if name == "php" else words}).nodes["x#"]


@settings(deadline=None, max_examples=60)
@given(data=st.data(), name=st.sampled_from(NAMES))
def test_damaged_files_never_raise(data: Any, name: str) -> None:
    """A fixture with a piece cut out still gives a graph that hangs together."""
    text = data.draw(st.sampled_from(list(SOURCES[name].values())))
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 40)))
    graph = outline(name, {"x": text[:start] + text[stop:]})
    check_whole(graph)


@pytest.mark.parametrize("name", NAMES)
def test_lines_are_right_in_a_long_file(name: str) -> None:
    """Also past line 256, where a careless look at a point gives another number."""
    one = {
        "ruby": "class A{}; end",
        "csharp": "class A{} {{ }}",
        "php": "class A{} {{ }}",
        "kotlin": "class A{}",
    }[name]
    lines = ["<?php" if name == "php" else "", *(one.format(number) for number in range(2000))]
    graph = outline(name, {"x": "\n".join(lines)})
    assert symbols(graph) == [(f"A{number}", number + 2, number + 2) for number in range(2000)]


@pytest.mark.parametrize(
    ("language", "source", "signatures"),
    [
        ("java", "@A @B({1, f(2)})\nclass C {\n  @Override public void m() {\n    go();\n  }\n  @interface I {}\n}\n",
         ["class C", "public void m()", "@interface I {}"]),
        ("kotlin", "interface Face { fun m() }\n", ["interface Face { fun m() }", "fun m()"]),
        ("kotlin", "@JvmInline value class C(x: Int)\n", ["value class C(x: Int)"]),
        ("csharp", "[A(\"x\")]\nclass C {\n  [Test] int[] M() {\n  }\n}\n", ["class C", "int[] M()"]),
        ("php", "<?php\n#[A(1)]\nclass C {\n  #[B] function m() {\n  }\n}\n", ["class C", "function m()"]),
    ],
)  # fmt: skip
def test_signatures_are_without_annotations(
    language: str, source: str, signatures: list[str]
) -> None:
    """On lines of their own or not, they are no part of the signature."""
    graph = outline(language, {"a": source})
    nodes = [node for node in graph.nodes.values() if node.file and node.kind != "file"]
    assert [node.signature for node in sorted(nodes, key=lambda node: node.line)] == signatures
