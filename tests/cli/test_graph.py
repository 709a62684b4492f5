"""ghost edge, link, clusters, consolidate, expand and used"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import FillOnce, GhostCli, Program

Sql = Callable[..., list[Any]]


@pytest.fixture(autouse=True)
def filled(ghost_cli: "GhostCli", fill_once: "FillOnce") -> None:
    """Store four memories of one namespace and one of another."""

    def build() -> None:
        for key in ("x", "y", "z", "w"):
            ghost_cli.ok("put", "-n", "a", "-k", key, f"The text of {key}.")
        ghost_cli.ok("put", "-n", "b", "-k", "other", "Of another namespace.")

    fill_once(build)


def listed(ghost_cli: "GhostCli", *args: object) -> list[tuple[str, str, str, float]]:
    """List edges as (from, relation, to, weight)."""
    return [
        (row["from_key"], row["rel"], row["to_key"], row["weight"])
        for row in ghost_cli.rows("edge", "list", "-n", "a", *args)
    ]


# --- edge add, rm, list


def test_add_says_what_it_did(ghost_cli: "GhostCli") -> None:
    """A new link, a changed one, and how strong it is."""
    assert (
        ghost_cli.ok("edge", "add", "-n", "a", "x", "y", "-r", "depends_on")
        == "linked x —depends_on→ y  0.70\n"
    )
    assert (
        ghost_cli.ok("edge", "add", "-n", "a", "x", "y", "-r", "depends_on", "-w", "0.25")
        == "updated x —depends_on→ y  0.25\n"
    )
    assert listed(ghost_cli) == [("x", "depends_on", "y", 0.25)]


def test_add_in_json_is_the_edge(ghost_cli: "GhostCli") -> None:
    """One object with keys, weight and what happened."""
    row = ghost_cli.row("edge", "add", "-n", "a", "x", "y", "-r", "implies")
    assert {
        name: row[name]
        for name in ("ns", "from_key", "to_key", "rel", "weight", "access_count", "outcome")
    } == {
        "ns": "a",
        "from_key": "x",
        "to_key": "y",
        "rel": "implies",
        "weight": 0.8,
        "access_count": 0,
        "outcome": "created",
    }


def test_rm_takes_one_link_away(ghost_cli: "GhostCli") -> None:
    """The named link goes, in text and in JSON with its status."""
    for rel in ("implies", "refines"):
        ghost_cli.ok("edge", "add", "-n", "a", "x", "y", "-r", rel)
    assert (
        ghost_cli.ok("edge", "rm", "-n", "a", "x", "y", "-r", "implies")
        == "removed x —implies→ y  0.80\n"
    )
    row = ghost_cli.row("edge", "rm", "-n", "a", "x", "y", "-r", "refines")
    assert (row["status"], row["rel"], row["from_key"], row["to_key"]) == (
        *"deleted refines x y".split(),
    )
    assert listed(ghost_cli) == []


def test_list_shows_both_directions(ghost_cli: "GhostCli") -> None:
    """The links of a memory, heaviest first; of a relation; of the whole namespace; and none."""
    ghost_cli.ok("edge", "add", "-n", "a", "x", "y", "-r", "depends_on")
    ghost_cli.ok("edge", "add", "-n", "a", "z", "x", "-r", "contradicts")
    ghost_cli.ok("edge", "add", "-n", "a", "y", "z", "-r", "implies")
    assert (
        ghost_cli.ok("edge", "list", "-n", "a", "x")
        == "z —contradicts→ x  0.90\nx —depends_on→ y  0.70\n"
    )
    assert listed(ghost_cli, "x", "-r", "depends_on") == [("x", "depends_on", "y", 0.7)]
    assert len(listed(ghost_cli)) == 3
    result = ghost_cli("edge", "list", "-n", "a", "w")
    assert (result.code, result.out, result.err) == (0, "", "no links\n")
    assert ghost_cli.rows("edge", "list", "-n", "a", "w") == []


def test_the_default_namespace_serves(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    """GHOST_NS stands for -n everywhere."""
    monkeypatch.setenv("GHOST_NS", "a")
    ghost_cli.ok("edge", "add", "x", "y", "-r", "relates_to")
    assert ghost_cli.ok("edge", "list", "x") == "x —relates_to→ y  0.50\n"
    assert ghost_cli.ok("edge", "--list", "--from-key", "x") == "x —relates_to→ y  0.50\n"
    assert ghost_cli.row("clusters")["keys"] == ["x", "y"]
    assert ghost_cli.row("used", "x")["ns"] == "a"


@pytest.mark.parametrize(
    ("code", "args", "words"),
    [
        (2, ["add", "-n", "a", "x", "y"], "relation is required"),
        (2, ["add", "-n", "a", "x", "y", "-r", "likes"], "invalid relation 'likes'"),
        (
            2,
            ["add", "-n", "a", "x", "y", "-r", "refines", "-w", "1.5"],
            "weight 1.5 is out of range",
        ),
        (2, ["add", "-n", "a", "x", "y", "-r", "refines", "-w", "nan"], "weight"),
        (
            2,
            ["add", "-n", "a", "x", "y", "-r", "refines", "-w", "much"],
            "'much' is not a valid float",
        ),
        (2, ["add", "-n", "a", "x", "x", "-r", "refines"], "x cannot be linked to itself"),
        (2, ["add", "-n", "a", "x"], "TO"),
        (2, ["add", "-n", "a", "x", "y", "refines", "-r", "refines"], "two relations"),
        (2, ["add", "b:x/p", "b:y/q", "refines"], "b:x and b:y are different namespaces"),
        (3, ["add", "-n", "a", "x", "nope", "-r", "refines"], "memory not found: a/nope"),
        (3, ["add", "-n", "a", "x", "other", "-r", "refines"], "memory not found: a/other"),
        (3, ["rm", "-n", "a", "x", "y", "-r", "refines"], "there is no edge x refines y in a"),
        (3, ["list", "-n", "a", "nope"], "memory not found: a/nope"),
        (2, ["list", "-n", "a", "-r", "likes"], "invalid relation"),
        (2, ["nope"], "nope"),
        (2, ["candidates", "-n", "a", "--max-pairs", "0"], "max_pairs must be at least 1"),
        (3, ["candidates", "-n", "a", "--seed", "nope"], "memory not found: a/nope"),
        (2, ["relink", "-n", ""], "a namespace is required"),
        (2, ["-n", "a", "--from-key", "x", "-r", "refines"], "two keys are required"),
        (2, ["-n", "a", "--from-key", "x", "--to-key", "y"], "a relation is required"),
        (
            2,
            "--from-ns a --from-key x --to-ns b --to-key other -r refines".split(),
            "different namespaces",
        ),
        (
            3,
            ["-n", "a", "--from-key", "x", "--to-key", "y", "-r", "refines", "--rm"],
            "there is no edge",
        ),
        (3, ["-n", "a", "--list", "--from-key", "nope"], "memory not found: a/nope"),
    ],
    ids=str,
)
def test_what_cannot_be_is_said(
    ghost_cli: "GhostCli", code: int, args: list[str], words: str
) -> None:
    """Each mistake has its exit code, one sentence and one hint, and changes nothing."""
    before = ghost_cli.ok("export")
    error, hint = ghost_cli.fails(code, "edge", *args)
    assert words in error
    assert hint
    assert ghost_cli.ok("export") == before


def test_errors_are_json_when_the_answer_would_be(ghost_cli: "GhostCli") -> None:
    """An error on standard error has type, message, hint and code."""
    result = ghost_cli("edge", "add", "-n", "a", "x", "nope", "-r", "refines", "--json")
    error = json.loads(result.err)
    assert (result.code, result.out, error["error"], error["exit_code"]) == (
        3,
        "",
        "NotFoundError",
        3,
    )


# --- edge, as the original takes it


def test_the_flags_of_the_original(ghost_cli: "GhostCli") -> None:
    """Create, list and remove by flags alone."""
    pair = ["-n", "a", "--from-key", "x", "--to-key", "y", "-r", "refines"]
    assert ghost_cli.ok("edge", *pair, "-w", "0.4") == "linked x —refines→ y  0.40\n"
    assert ghost_cli.ok("edge", "-n", "a", "--list", "--from-key", "x") == "x —refines→ y  0.40\n"
    assert ghost_cli.ok("edge", "-n", "a", "--list", "--from-key", "y") == "x —refines→ y  0.40\n"
    assert ghost_cli.row("edge", *pair, "--rm")["status"] == "deleted"
    assert listed(ghost_cli) == []


@pytest.mark.parametrize(
    "where",
    [
        ["--from-ns", "a", "--to-ns", "a"],
        ["--from-ns", "a"],
        ["--to-ns", "a"],
        ["-n", "a", "--from-ns", "a", "--to-ns", "a"],
    ],
    ids=str,
)
@pytest.mark.parametrize("command", ["edge", "link"])
def test_both_ends_may_name_their_namespace(
    ghost_cli: "GhostCli", command: str, where: list[str]
) -> None:
    """One namespace named twice, or once, is that of both."""
    ghost_cli.ok(command, *where, "--from-key", "x", "--to-key", "y", "-r", "refines")
    assert listed(ghost_cli) == [("x", "refines", "y", 0.8)]


@pytest.mark.parametrize(
    "where",
    [
        ["--from-ns", "a", "--to-ns", "b"],
        ["-n", "a", "--from-ns", "b"],
        ["-n", "b", "--from-ns", "a", "--to-ns", "a"],
    ],
    ids=str,
)
@pytest.mark.parametrize("command", ["edge", "link"])
def test_two_namespaces_are_refused(ghost_cli: "GhostCli", command: str, where: list[str]) -> None:
    """Wherever two different ones are named, none of them wins in silence."""
    before = ghost_cli.ok("export")
    error, _ = ghost_cli.fails(
        2, command, *where, "--from-key", "x", "--to-key", "y", "-r", "refines"
    )
    assert "different namespaces" in error
    assert ghost_cli.ok("export") == before


@pytest.mark.parametrize("args", [[], ["--help"]])
def test_edge_alone_shows_its_help(ghost_cli: "GhostCli", args: list[str]) -> None:
    """Without anything it says how it is used."""
    out = ghost_cli.ok("edge", *args)
    assert out.startswith("Usage: ghost edge")
    assert all(name in out for name in ("add", "rm", "list", "candidates", "relink", "--from-key"))


def test_options_may_stand_before_and_after(ghost_cli: "GhostCli") -> None:
    """--json works before `edge`, after it, and after the subcommand; -n after both."""
    ghost_cli.ok("edge", "add", "-n", "a", "x", "y", "-r", "refines")
    lines = [
        ghost_cli.ok("--json", "edge", "list", "-n", "a"),
        ghost_cli.ok("edge", "--json", "list", "-n", "a"),
        ghost_cli.ok("edge", "list", "-n", "a", "--json"),
        ghost_cli.ok("edge", "--json", "--list", "-n", "a", "--from-key", "x"),
    ]
    assert len(set(lines)) == 1
    assert json.loads(lines[0])["to_key"] == "y"


def test_a_namespace_before_the_subcommand_counts(ghost_cli: "GhostCli") -> None:
    """`ghost edge -n a list` is understood: an option that the group takes is not dropped before a subcommand."""
    ghost_cli.ok("edge", "add", "-n", "a", "x", "y", "-r", "refines")
    assert ghost_cli.ok("edge", "-n", "a", "list") == "x —refines→ y  0.80\n"


@pytest.mark.parametrize(
    ("args", "option"),
    [
        (["edge", "-n", "a", "--rm", "add", "x", "y", "contradicts"], "--rm"),
        (["edge", "--from-key", "x", "list", "-n", "a"], "--from-key"),
        (["rule", "-n", "a", "get", "sys-dedup-all"], "--ns"),
    ],
)
def test_an_option_that_a_subcommand_does_not_have_is_refused(
    ghost_cli: "GhostCli", args: list[str], option: str
) -> None:
    """Before the subcommand it was accepted and had no effect."""
    result = ghost_cli(*args)
    assert (result.code, f"has no option {option}" in result.err) == (2, True)
    assert listed(ghost_cli) == []


def test_a_store_that_is_not_there_is_not_made(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """Linking in a store that does not exist finds no memory, and makes no file."""
    for args in (
        ["edge", "add", "x", "y", "-r", "refines"],
        ["edge", "--from-key", "x", "--to-key", "y", "-r", "refines"],
        ["link", "--from-key", "x", "--to-key", "y", "-r", "refines"],
        ["clusters"],
        ["expand"],
        ["used", "x"],
        ["consolidate", "--summary-key", "s", "--keys", "x,y", "--content", "S."],
    ):
        ghost_cli.fails(3, *args, "-n", "a", "--db", tmp_path / "no.db")
        assert not (tmp_path / "no.db").exists()


# --- candidates and relink


def test_candidates_show_both_texts(ghost_cli: "GhostCli") -> None:
    """Pairs that are alike, with how many already have a reason."""
    ghost_cli.ok("edge", "add", "-n", "a", "x", "y", "-r", "relates_to", "-w", "0.9")
    ghost_cli.ok("edge", "add", "-n", "a", "y", "z", "-r", "relates_to", "-w", "0.8")
    ghost_cli.ok("edge", "add", "-n", "a", "z", "y", "-r", "caused_by")
    result = ghost_cli("edge", "candidates", "-n", "a")
    assert result.out == "x  0.90  y\n    The text of x.\n    The text of y.\n"
    assert "1 pair" in result.err
    row = ghost_cli.row("edge", "candidates", "-n", "a")
    assert row == {
        "candidates": [
            {
                "from_key": "x",
                "from_content": "The text of x.",
                "to_key": "y",
                "to_content": "The text of y.",
                "relates_weight": 0.9,
            }
        ],
        "skipped_existing": 1,
    }


def test_candidates_of_seeds(ghost_cli: "GhostCli") -> None:
    """--seed takes keys with commas and again; nothing to look at is said beside the data."""
    ghost_cli.ok("edge", "add", "-n", "a", "x", "y", "-r", "relates_to", "-w", "0.9")
    ghost_cli.ok("edge", "add", "-n", "a", "y", "z", "-r", "relates_to", "-w", "0.8")
    assert (
        len(
            ghost_cli.row("edge", "candidates", "-n", "a", "--seed", "x,z", "--seed", "w")[
                "candidates"
            ]
        )
        == 2
    )
    assert len(ghost_cli.row("edge", "candidates", "-n", "a", "--seed", "z")["candidates"]) == 1
    assert (
        len(ghost_cli.row("edge", "candidates", "-n", "a", "--max-pairs", "1")["candidates"]) == 1
    )
    result = ghost_cli("edge", "candidates", "-n", "a", "--seed", "w")
    assert (result.code, result.out) == (0, "")
    assert "no such pairs" in result.err


def test_relink_adds_what_is_missing(ghost_cli: "GhostCli") -> None:
    """A dry run says what it would add; the run adds it; the next has nothing to add."""
    ghost_cli.ok(
        "put", "-n", "n", "-k", "one", "the turbine gearbox vibrates when lubricant runs low"
    )
    ghost_cli.ok("put", "-n", "n", "-k", "two", "low lubricant makes the turbine gearbox vibrate")
    assert (
        ghost_cli.ok("edge", "relink", "-n", "n", "--dry-run")
        == "would add 1 link between 2 memories\n"
    )
    assert ghost_cli.rows("edge", "list", "-n", "n") == []
    assert ghost_cli.row("edge", "relink", "-n", "n") == {
        "ns": "n",
        "memories": 2,
        "added": 1,
        "dry_run": False,
    }
    assert ghost_cli.ok("edge", "relink", "-n", "n") == "added 0 links between 2 memories\n"
    assert ghost_cli.ok("edge", "list", "-n", "n").startswith("two —relates_to→ one  ")


# --- link


def test_link_writes_both_tables(ghost_cli: "GhostCli", store: Path, sql: Sql) -> None:
    """A legacy link is also an edge; --rm takes both."""
    pair = ["-n", "a", "--from-key", "x", "--to-key", "y", "-r", "depends_on"]
    assert ghost_cli.ok("link", *pair) == "linked x —depends_on→ y  0.70\n"
    assert ghost_cli.row("link", *pair)["weight"] == 0.7
    both = "SELECT (SELECT count(*) FROM memory_links), (SELECT count(*) FROM memory_edges)"
    assert sql(store, both) == [(1, 1)]
    assert ghost_cli.row("link", *pair, "--rm")["status"] == "deleted"
    assert sql(store, both) == [(0, 0)]


@pytest.mark.parametrize(
    ("code", "args", "words"),
    [
        (2, ["-n", "a", "--from-key", "x", "--to-key", "y"], "--rel are required"),
        (2, ["-n", "a", "--from-key", "x", "-r", "refines"], "--to-key"),
        (2, ["-n", "a", "--from-key", "x", "--to-key", "y", "-r", "implies"], "invalid relation"),
        (3, ["-n", "a", "--from-key", "x", "--to-key", "nope", "-r", "refines"], "a/nope"),
        (
            3,
            ["-n", "a", "--from-key", "x", "--to-key", "y", "-r", "refines", "--rm"],
            "there is no edge",
        ),
        (2, ["a"], "are required"),
        (2, ["a", "b", "--from-key", "x"], "as options and as arguments"),
    ],
    ids=str,
)
def test_link_says_what_cannot_be(
    ghost_cli: "GhostCli", code: int, args: list[str], words: str
) -> None:
    """Each mistake has its exit code and its words."""
    error, _ = ghost_cli.fails(code, "link", *args)
    assert words in error


# --- clusters, consolidate, expand


def test_clusters_in_text_and_json(ghost_cli: "GhostCli") -> None:
    """Groups with their size, tokens and keys, and a word when there are none."""
    result = ghost_cli("clusters", "-n", "a")
    assert (result.code, result.out, result.err) == (0, "", "no similar memories are linked\n")
    ghost_cli.ok("edge", "add", "-n", "a", "x", "y", "-r", "relates_to")
    ghost_cli.ok("edge", "add", "-n", "a", "z", "y", "-r", "relates_to")
    tokens = 3 * (len("The text of x.") // 4 + 20)
    assert ghost_cli.ok("clusters", "-n", "a") == f"3 memories  {tokens} tokens\n    x, y, z\n"
    assert ghost_cli.row("clusters", "-n", "a") == {
        "keys": ["x", "y", "z"],
        "count": 3,
        "est_tokens": tokens,
        "summarised": 0,
    }
    ghost_cli.ok(
        "consolidate", "-n", "a", "--summary-key", "sum", "--keys", "x,y", "--content", "Both."
    )
    assert "2 summarised" in ghost_cli.ok("clusters", "-n", "a")


@pytest.mark.parametrize("how", ["option", "argument", "input", "dash"])
def test_consolidate_takes_its_text_in_every_way(ghost_cli: "GhostCli", how: str) -> None:
    """By --content, alone, on standard input, and with a dash."""
    start = ["consolidate", "-n", "a", "--summary-key", "sum", "--keys", "x,y"]
    ways: dict[str, tuple[list[str], str | None]] = {
        "option": (["--content", "Both of them."], None),
        "argument": (["Both", "of", "them."], None),
        "input": ([], "Both of them.\n"),
        "dash": (["-"], "Both of them."),
    }
    args, text = ways[how]
    assert ghost_cli.ok(*start, *args, input=text) == "a/sum v1 summarises 2 memories\n"
    found = ghost_cli.row("get", "-n", "a", "sum")
    assert (found["content"], found["kind"], found["importance"]) == (
        "Both of them.",
        "semantic",
        0.7,
    )


def test_consolidate_in_json(ghost_cli: "GhostCli") -> None:
    """The summary and its edges, with what was said of it; --keys may be repeated."""
    row = ghost_cli.row(
        "consolidate", "-n", "a", "--summary-key", "sum", "--keys", "x", "--keys", "y, z", "--content", "All.",
        "--kind", "procedural", "--importance", "0.3", "-t", "one,two",
    )  # fmt: skip
    summary = row["summary"]
    assert (summary["key"], summary["kind"], summary["importance"], summary["tags"]) == (
        "sum",
        "procedural",
        0.3,
        ["one", "two"],
    )
    assert [(edge["from_key"], edge["rel"], edge["to_key"]) for edge in row["edges"]] == [
        ("sum", "contains", key) for key in "xyz"
    ]


@pytest.mark.parametrize(
    ("code", "args", "words"),
    [
        (
            2,
            ["--summary-key", "s", "--keys", "x", "--content", "S."],
            "at least 2 source keys, got 1",
        ),
        (
            2,
            ["--summary-key", "s", "--keys", "", "--content", "S."],
            "at least 2 source keys, got 0",
        ),
        (
            2,
            ["--summary-key", "x", "--keys", "x,y", "--content", "S."],
            "x is both the summary and one of its sources",
        ),
        (2, ["--summary-key", "s", "--keys", "x,y", "--content", " "], "content is required"),
        (2, ["--keys", "x,y", "--content", "S."], "--summary-key"),
        (2, ["--summary-key", "s", "--content", "S."], "--keys"),
        (2, ["--summary-key", "s", "--keys", "x,y", "--content", "S.", "--kind", "odd"], "kind"),
        (2, ["--summary-key", "s", "--keys", "x,y", "--content", "S.", "also this"], ""),
        (
            3,
            ["--summary-key", "s", "--keys", "x,nope", "--content", "S."],
            "source memory not found: a/nope",
        ),
        (
            3,
            ["--summary-key", "s", "--keys", "x,other", "--content", "S."],
            "source memory not found: a/other",
        ),
    ],
    ids=str,
)
def test_consolidate_says_what_cannot_be(
    ghost_cli: "GhostCli", code: int, args: list[str], words: str
) -> None:
    """Each mistake has its exit code and its words, and leaves no summary."""
    before = ghost_cli.ok("export")
    error, _ = ghost_cli.fails(code, "consolidate", "-n", "a", *args)
    assert words in error
    assert ghost_cli.ok("export") == before


def test_expand_lists_and_opens(ghost_cli: "GhostCli") -> None:
    """The overview, one level, two levels; with -k or alone; in text indented by level."""
    result = ghost_cli("expand", "-n", "a")
    assert (result.code, result.out) == (0, "")
    assert "no summaries yet" in result.err
    ghost_cli.ok(
        *"consolidate -n a --summary-key low --keys x,y --content".split(),
        "About x and y.",
    )
    ghost_cli.ok(
        *"consolidate -n a --summary-key top --keys low,z --content".split(),
        "About all.",
    )
    assert ghost_cli.ok("expand", "-n", "a").splitlines() == [
        "top  semantic stm  22 tokens  2 children",
        "    About all.",
        "low  semantic stm  23 tokens  2 children",
        "    About x and y.",
    ]
    assert ghost_cli.ok("expand", "-n", "a", "top", "--depth", "2").splitlines() == [
        "top  semantic stm  22 tokens  2 children",
        "    About all.",
        "    low  semantic stm  23 tokens  2 children",
        "        About x and y.",
        "        x  semantic stm  23 tokens",
        "            The text of x.",
        "        y  semantic stm  23 tokens",
        "            The text of y.",
        "    z  semantic stm  23 tokens",
        "        The text of z.",
    ]
    row = ghost_cli.row("expand", "-n", "a", "-k", "low")
    assert (row["parent"]["summary"], [child["content"] for child in row["children"]]) == (
        "About x and y.",
        ["The text of x.", "The text of y."],
    )
    assert [node["key"] for node in ghost_cli.row("expand", "-n", "a")["nodes"]] == ["top", "low"]


def test_expand_of_what_is_no_summary(ghost_cli: "GhostCli") -> None:
    """A plain memory is shown with a word beside the data; groups without a summary are named."""
    result = ghost_cli("expand", "-n", "a", "x")
    assert result.out == "x  semantic stm  23 tokens\n    The text of x.\n"
    assert "not a summary" in result.err
    ghost_cli.ok("edge", "add", "-n", "a", "x", "y", "-r", "relates_to")
    assert "2 similar memories without a summary: x, y" in ghost_cli("expand", "-n", "a").err
    assert ghost_cli.row("expand", "-n", "a")["clusters"][0]["keys"] == ["x", "y"]


@pytest.mark.parametrize(
    ("code", "args"),
    [
        (3, ["-n", "a", "nope"]),
        (2, ["-n", "a", "x", "--depth", "0"]),
        (2, ["-n", "a", "x", "-k", "y"]),
        (2, ["-n", "", "x"]),
    ],
)
def test_expand_says_what_cannot_be(ghost_cli: "GhostCli", code: int, args: list[str]) -> None:
    """Unknown keys, a depth below one, two keys and no namespace are errors."""
    assert all(ghost_cli.fails(code, "expand", *args))


# --- used and counting


def test_used_in_text_and_json(ghost_cli: "GhostCli") -> None:
    """Each key with how often it has helped."""
    assert ghost_cli.ok("used", "-n", "a", "x", "y") == "a/x  helped 1 time\na/y  helped 1 time\n"
    assert ghost_cli.row("used", "-n", "a", "x") == {"ns": "a", "key": "x", "utility_count": 2}
    assert ghost_cli.row("get", "-n", "a", "x")["utility_count"] == 2


@pytest.mark.parametrize(
    ("code", "args"), [(2, ["-n", "a"]), (3, ["-n", "a", "x", "nope"]), (2, ["-n", "", "x"])]
)
def test_used_says_what_cannot_be(ghost_cli: "GhostCli", code: int, args: list[str]) -> None:
    """No key, an unknown one and no namespace are errors, and nothing is counted."""
    before = ghost_cli.ok("export")
    assert all(ghost_cli.fails(code, "used", *args))
    assert ghost_cli.ok("export") == before


def test_commands_count_what_they_show(ghost_cli: "GhostCli", store: Path, sql: Sql) -> None:
    """get and expand are uses, search is an exposure, a list is neither."""
    ghost_cli.ok("get", "-n", "a", "x")
    ghost_cli.ok("expand", "-n", "a", "x")
    ghost_cli.ok("search", "-n", "a", "-l", "1", "text of x")
    ghost_cli.ok("list", "-n", "a")
    assert sql(
        store,
        "SELECT used, shown FROM accesses a JOIN memories m ON m.id = a.memory_id WHERE m.key = 'x'",
    ) == [(2, 1)]
    assert sql(store, "SELECT access_count FROM memories WHERE key = 'x'") == [(3,)]


# --- as programs


def test_hostile_keys_do_nothing_to_a_terminal(ghost_cli: "GhostCli") -> None:
    """Direction marks in keys and control characters in texts are shown as pictures in every command."""
    key = "\u202eevil"
    old = {"ns": "a", "key": key, "content": "red \x1b[31m text", "version": 1}
    ghost_cli.ok("import", "--trust", input=json.dumps([old]))  # of an older store
    ghost_cli.ok("edge", "add", "-n", "a", key, "x", "-r", "relates_to")
    ghost_cli.ok(
        *"consolidate -n a --summary-key sum --keys".split(),
        f"{key},x",
        "--content",
        "S \x1b[32m.",
    )
    for args in (
        ["edge", "list", key],
        ["edge", "candidates"],
        ["clusters"],
        ["expand"],
        ["expand", "sum"],
        ["used", key],
        ["edge", "rm", key, "x", "-r", "relates_to"],
        ["edge", "rm", key, "x", "-r", "relates_to"],
    ):
        result = ghost_cli(*args, "-n", "a")
        assert "\x1b" not in result.out + result.err
        assert "\u202e" not in result.out + result.err


def test_a_key_that_starts_with_a_dash(ghost_cli: "GhostCli") -> None:
    """Behind a double dash any key can be named."""
    ghost_cli.ok("put", "-n", "a", "-k", "-odd", "Odd.")
    assert (
        ghost_cli.ok("edge", "add", "-n", "a", "-r", "refines", "--", "-odd", "x")
        == "linked -odd —refines→ x  0.80\n"
    )


def test_programs_that_put_at_once_are_all_linked(
    ghost_cli: "GhostCli", program: "Program"
) -> None:
    """Four processes that store alike memories at the same moment leave one group of all four."""
    text = "The deployment of the billing service runs every Tuesday at noon, note {}."
    started = [
        program.start(
            "put", "-n", "p", "-k", f"k{at}", text.format(at), GHOST_EMBED_PROVIDER="static"
        )
        for at in range(4)
    ]
    for process in started:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    pairs = [
        frozenset((row["from_key"], row["to_key"]))
        for row in ghost_cli.rows("edge", "list", "-n", "p", "-r", "relates_to")
    ]
    assert len(pairs) == len(set(pairs)) == 6
    assert ghost_cli.row("clusters", "-n", "p")["keys"] == ["k0", "k1", "k2", "k3"]
    assert ghost_cli.ok("check") == "clean\n"


def test_a_put_is_linked_end_to_end(ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch) -> None:
    """Storing two alike memories links them, by the threshold of GHOST_EDGE_THRESHOLD."""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "static")
    texts = [
        "The deployment of the billing service runs every Tuesday.",
        "Deployment of the billing service runs on every Tuesday.",
    ]
    for ns, threshold in (("p", "0"), ("q", "1")):
        monkeypatch.setenv("GHOST_EDGE_THRESHOLD", threshold)
        for at, text in enumerate(texts):
            ghost_cli.ok("put", "-n", ns, "-k", f"k{at}", text)
    assert [row["to_key"] for row in ghost_cli.rows("edge", "list", "-n", "p", "k1")] == ["k0"]
    assert ghost_cli.rows("edge", "list", "-n", "q") == []
    monkeypatch.setenv("GHOST_EDGE_THRESHOLD", "1.5")
    assert ghost_cli("put", "-n", "p", "-k", "k3", "Text.").code == 2


def test_vectors_filled_in_later_are_linked(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    """`ghost embed backfill` links what was stored without a provider."""
    for at in range(2):
        ghost_cli.ok(
            *"put -n p -k".split(),
            f"k{at}",
            f"The deployment of the billing service runs every Tuesday, note {at}.",
        )
    assert ghost_cli.rows("edge", "list", "-n", "p") == []
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "static")
    ghost_cli.ok("embed", "backfill")
    assert [
        (row["from_key"], row["to_key"]) for row in ghost_cli.rows("edge", "list", "-n", "p")
    ] == [("k1", "k0")]
