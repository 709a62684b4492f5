"""ghost context: a pack for people, for programs and for prompts; flags, values that are wrong, and nothing to say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import FillOnce, GhostCli, Program

ASKED = "where does the harbour ferry depart?"
ME = ("context", "-n", "agent:me")


@pytest.fixture
def filled(ghost_cli: GhostCli, fill_once: FillOnce) -> GhostCli:
    """Return the command line over a few linked memories without vectors, which are not given whole."""
    ghost_cli.monkeypatch.setenv("GHOST_CONTEXT_WHOLE", "0")
    put = ghost_cli.ok

    def add(key: str, content: str, *args: str, ns: str = "agent:me") -> None:
        put("put", "-n", ns, "-k", key, content, "--tier", "ltm", "--kind", "semantic", *args)

    def build() -> None:
        add("rule", "Answer in British English.", "--pinned")
        add("ferry", "The harbour ferry departs from pier nine.", "-t", "trip")
        add("lemons", "Lemons cost nine crowns.")
        add("zebras", "Zebras moved to stable two.")
        add("cart", "Totals are rounded half to even.", "--files", "src/cart.py")
        add("asleep", "The harbour ferry once departed from pier one.", "--tier", "dormant")
        add("ferry", "The other harbour ferry departs from pier four.", ns="agent:you")
        put("edge", "add", "-n", "agent:me", "ferry", "lemons", "--rel", "depends_on")
        put("edge", "add", "-n", "agent:me", "zebras", "ferry", "--rel", "contradicts")

    fill_once(build)
    return ghost_cli


def keys(pack: dict[str, Any]) -> list[str]:
    """Return the keys of a pack in order."""
    return [memory["key"] for memory in pack["memories"]]


def test_a_pack_as_text(filled: GhostCli) -> None:
    """Each memory is its name, score, date and cost, with its text below, and nothing is said beside the data."""
    result = filled(*ME, ASKED)
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0].startswith("agent:me/rule  ")
    assert "semantic ltm pinned" in lines[0]
    assert "26 tokens" in lines[0]
    assert lines[1] == "    Answer in British English."
    assert [line.split("  ")[0] for line in lines[::2]] == [
        f"agent:me/{key}" for key in ("rule", "zebras", "ferry", "lemons")
    ]
    assert result.err == ""


def test_a_pack_as_json(filled: GhostCli) -> None:
    """One object with budget, used and memories in order, each with key, score, content, excerpt and why."""
    pack = filled.row(*ME, ASKED)
    assert pack["budget"] == 4000
    assert pack["used"] == sum(memory["tokens"] for memory in pack["memories"])
    assert keys(pack) == ["rule", "zebras", "ferry", "lemons"]
    for memory in pack["memories"]:
        assert {"ns", "key", "score", "content", "excerpt", "why", "tokens"} <= memory.keys()
    assert pack["memories"][1]["why"]["path"][0] == {
        "from_key": "zebras",
        "rel": "contradicts",
        "to_key": "ferry",
        "weight": 0.9,
    }


@pytest.mark.parametrize("flag", ["-b", "--budget"])
def test_a_budget(filled: GhostCli, flag: str) -> None:
    """The pack keeps to the budget."""
    pack = filled.row(*ME, ASKED, flag, "80")
    assert pack["budget"] == 80
    assert 0 < pack["used"] <= 80


def test_explain_as_text(filled: GhostCli) -> None:
    """Each memory says why it is there; stages and what was left out follow beside the data."""
    result = filled(*ME, ASKED, "-b", "60", "--explain")
    assert result.code == 0
    assert "text #1" in result.out or "correction" in result.out
    assert "of 60 tokens, " in result.err
    assert "stages: " in result.err
    assert "left out: agent:me/" in result.err


def test_explain_tells_ways_and_parts(filled: GhostCli) -> None:
    """The way over an edge, the ranks of a hit and the parts of its score are told in words."""
    out = filled(*ME, ASKED, "--explain").out
    assert "zebras —contradicts 0.90→ ferry" in out
    assert "ferry —depends_on 0.70→ lemons" in out
    assert "text #1" in out
    assert "relevance +" in out
    assert "tier ×1.00" in out
    assert "contradicted by zebras" in out


def test_contradicting_memories_say_which_is_newer(filled: GhostCli) -> None:
    """In the text on both sides; in the block the older one is a line below the newer one."""
    lines = filled(*ME, ASKED).out.splitlines()
    heads = {key: next(line for line in lines if f"/{key}" in line) for key in ("zebras", "ferry")}
    assert heads["zebras"].endswith("(newer than ferry)")
    assert "contradicted by zebras, which is newer" in heads["ferry"]
    block = filled(*ME, ASKED, "--render", "block").out
    assert block.index('<memory key="zebras"') < block.index("\nconflicts with older (ferry, ")
    assert "note=" not in block


def test_without_explain_there_are_no_reasons(filled: GhostCli) -> None:
    """Reasons are only told when asked for."""
    result = filled(*ME, ASKED)
    assert "relevance" not in result.out + result.err
    assert "stages" not in result.err


def test_pinned_overflow_is_said(filled: GhostCli) -> None:
    """What is pinned and did not fit is named beside the data, and in JSON among the notes."""
    result = filled(*ME, ASKED, "-b", "60")
    assert "rule" in result.err
    assert "pinned" in result.err
    assert any("rule" in note for note in filled.row(*ME, ASKED, "-b", "60")["notes"])


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--no-edges"], ["rule", "ferry"]),
        (["--tier", "dormant", "--no-edges", "--exclude-pinned"], ["asleep"]),
        (
            ["--files", "src/cart.py,src/other.py", "--no-edges", "--exclude-pinned"],
            ["ferry", "cart"],
        ),
    ],
    ids=str,
)
def test_flags(filled: GhostCli, args: list[str], expected: list[str]) -> None:
    """Every switch of the library is an option."""
    assert keys(filled.row(*ME, ASKED, *args)) == expected


def test_namespaces(filled: GhostCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """One, a prefix, all, or that of the settings."""

    def spaces(*args: object) -> set[str]:
        return {memory["ns"] for memory in filled.row("context", *args, ASKED)["memories"]}

    assert spaces("-n", "agent:you") == {"agent:you"}
    assert (
        spaces("-n", "agent:*") == spaces("-n", "*") == spaces("--all") == {"agent:me", "agent:you"}
    )
    monkeypatch.setenv("GHOST_NS", "agent:you")
    assert spaces() == {"agent:you"}


def test_the_question_may_be_several_words_or_standard_input(filled: GhostCli) -> None:
    """Words need no quotes, and `-` or nothing reads the question from a pipe."""
    expected = keys(filled.row(*ME, ASKED))
    assert keys(filled.row(*ME, *ASKED.split())) == expected
    assert keys(filled.row(*ME, "-", input=f"{ASKED}\n")) == expected
    assert keys(filled.row(*ME, input=ASKED)) == expected


def test_files_alone(filled: GhostCli) -> None:
    """With files and an empty standard input, no question is needed."""
    assert keys(filled.row(*ME, "--exclude-pinned", "--files", "src/cart.py")) == ["cart"]
    assert keys(
        filled.row(*ME, "--exclude-pinned", "--files", "src/other.py", "--files", "src/cart.py")
    ) == ["cart"]


def test_no_question_on_a_terminal(filled: GhostCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, without a question the command says what it needs; files alone do not wait for one to be typed."""
    import io

    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("io.TextIOWrapper", Terminal)
    error, hint = filled.fails(2, *ME)
    assert "required" in error
    assert "standard input" in hint
    assert keys(filled.row(*ME, "--exclude-pinned", "--files", "src/cart.py")) == ["cart"]


def test_nothing_relevant(filled: GhostCli) -> None:
    """Silence is said beside the data and exits with zero; in JSON it is a pack without memories."""
    result = filled(*ME, "--exclude-pinned", "quantum chromodynamics of neutron stars")
    assert (result.code, result.out) == (0, "")
    assert result.err.startswith("nothing relevant\n")
    pack = filled.row(*ME, "--exclude-pinned", "quantum chromodynamics of neutron stars")
    assert (pack["used"], pack["memories"]) == (0, [])


def test_a_budget_that_is_too_small_is_named(filled: GhostCli) -> None:
    """Relevant memories that do not fit are not reported as missing."""
    result = filled("context", "-n", "agent:me", "--exclude-pinned", "-b", "5", ASKED)
    assert (result.code, result.out) == (0, "")
    assert (
        result.err == "no relevant memory fits into the budget of 5 tokens; -b sets a larger one\n"
    )


def test_without_a_question_none_is_mentioned(ghost_cli: GhostCli) -> None:
    """A small namespace is returned completely, without a note about a question."""
    ghost_cli.ok("put", "-n", "a", "-k", "tea", "Green tea.")
    assert "question" not in ghost_cli("context", "-n", "a", "").err
    assert "question" in ghost_cli("context", "-n", "a", "quantum chromodynamics").err


def test_a_namespace_with_nothing(filled: GhostCli) -> None:
    """A namespace that holds nothing is no error."""
    result = filled("context", "-n", "agent:nobody", ASKED)
    assert (result.code, result.out) == (0, "")
    assert "nothing relevant" in result.err


@pytest.mark.parametrize("budget", ["0", "-1", "abc", "1.5", ""])
def test_a_wrong_budget(filled: GhostCli, budget: str) -> None:
    """A budget that is no positive whole number is refused, with the value."""
    error, _ = filled.fails(2, *ME, ASKED, "-b", budget)
    assert "budget" in error
    assert budget in error


@pytest.mark.parametrize(
    "args",
    [
        ["--kind", "nonsense"],
        ["--tier", "nonsense"],
        ["--min-score", "high"],
        ["--min-score", "nan"],
        ["--min-spread", "wide"],
        ["--max-memory-tokens", "0"],
        ["--max-memory-tokens", "-2"],
        ["--render", "html"],
        ["--after", "someday"],
        ["-n", "a*b"],
    ],
    ids=" ".join,
)
def test_wrong_values(filled: GhostCli, args: list[str]) -> None:
    """A value that means nothing is one error with one hint."""
    filled.fails(2, "context", *args, ASKED)


@pytest.mark.parametrize("style", ["md", "block"])
def test_render(filled: GhostCli, style: str) -> None:
    """A rendering is text for a prompt with every packed memory in order."""
    out = filled.ok(*ME, ASKED, "--render", style)
    places = [
        out.index(text) for text in ("British English", "Zebras moved", "pier nine", "Lemons cost")
    ]
    assert places == sorted(places)


def test_render_of_nothing(filled: GhostCli) -> None:
    """An empty pack renders to nothing that would end up in a prompt."""
    result = filled("context", "-n", "agent:nobody", ASKED, "--render", "block")
    assert (result.code, result.out) == (0, "")


def test_render_keeps_what_overflowed_beside_the_data(filled: GhostCli) -> None:
    """Notes never get into the text for the prompt."""
    result = filled(*ME, ASKED, "-b", "60", "--render", "md")
    assert "a third of the budget" not in result.out
    assert "a third of the budget" in result.err


def test_compaction_is_hinted_at(filled: GhostCli) -> None:
    """When a summary would help, the next command is named; in JSON it is a field."""
    for n in range(3):
        filled.ok(
            "put", "-n", "agent:me", "-k", f"pier{n}", f"The harbour ferry departs from pier {n}."
        )
        filled.ok("edge", "add", "-n", "agent:me", "ferry", f"pier{n}", "--rel", "relates_to")
    result = filled(*ME, ASKED)
    assert "hint: " in result.err
    assert "ghost consolidate" in result.err
    assert filled.row(*ME, ASKED)["compaction_suggested"] is True


def test_control_characters_do_not_reach_the_terminal(filled: GhostCli) -> None:
    """A memory's text cannot steer the terminal."""
    filled.ok(
        "put", "-n", "agent:me", "-k", "evil", "The harbour ferry \x1b[2J departs.", input=b""
    )
    out = filled(*ME, ASKED, "--explain").out
    assert "\x1b[2J" not in out


def test_colour(filled: GhostCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """With colour, keys are bold; without, nothing is escaped."""
    assert "\x1b[" not in filled.ok(*ME, ASKED)
    monkeypatch.setenv("GHOST_COLOR", "always")
    assert "\x1b[1mferry\x1b[0m" in filled.ok(*ME, ASKED)


def test_help_names_every_switch(filled: GhostCli) -> None:
    """The help shows the flags of the issue."""
    out = filled.ok("context", "--help")
    for flag in (
        "-b, --budget",
        *"--explain --render --min-score --min-spread --exclude-pinned --tags --files".split(),
    ):
        assert flag in out


def test_without_a_store(ghost_cli: GhostCli, store: Path) -> None:
    """Asking where there is no store behaves as search does, and makes none."""
    asked, searched = ghost_cli(*ME, ASKED), ghost_cli("search", "-n", "agent:me", ASKED)
    assert asked.code == searched.code
    assert not store.exists()


def test_the_installed_program(program: Program) -> None:
    """Through a real pipe the question is read and the pack is one line of JSON."""
    assert (
        program(
            "put", "-n", "agent:me", "-k", "ferry", "The harbour ferry departs from pier nine."
        ).code
        == 0
    )
    result = program("--json", *ME, input=ASKED)
    assert (result.code, result.err) == (0, "")
    assert keys(result.rows[0]) == ["ferry"]


def test_a_setting_limits_every_context(filled: GhostCli) -> None:
    """GHOST_MIN_SCORE and GHOST_MIN_SPREAD are the limits when a call gives none."""
    add = ("put", "-n", "agent:me", "-k", "later")
    filled.ok(*add, "The late harbour ferry departs from pier ten.")
    packed = keys(filled.row(*ME, ASKED))
    filled.monkeypatch.setenv("GHOST_MIN_SCORE", "9")
    assert keys(filled.row(*ME, ASKED)) == ["rule"] != packed
    assert keys(filled.row(*ME, ASKED, "--min-score", "0.01")) == packed
    filled.monkeypatch.setenv("GHOST_MIN_SCORE", "0")
    filled.monkeypatch.setenv("GHOST_MIN_SPREAD", "9")
    assert len(keys(filled.row(*ME, ASKED))) < len(packed)
    filled.monkeypatch.setenv("GHOST_MIN_SPREAD", "far")
    filled.fails(2, *ME, ASKED)


def test_a_weak_match_is_printed_beside_the_data(
    ghost_cli: GhostCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task without a relevant memory gets the weak match as a note, and no pack."""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "local")
    monkeypatch.setenv("GHOST_CONTEXT_WHOLE", "0")
    for key, text in (
        ("marta", "Marta approves changes to the billing service."),
        ("cents", "Amounts are integer cents everywhere."),
        ("safari", "We support Safari 16 and newer."),
    ):
        ghost_cli.ok("put", "-n", "agent:me", "-k", key, text)
    result = ghost_cli(*ME, "please review my patch")
    assert (result.code, result.out) == (0, "")
    assert result.err == "perhaps: agent:me/marta  Marta approves changes to the billing service.\n"
    assert ghost_cli(*ME, "tell me a joke about goats").err == "nothing relevant\n"
