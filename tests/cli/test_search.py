"""ghost search: hits for people and for programs, filters, receipts and silence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import FillOnce, GhostCli, Program


@pytest.fixture
def filled(
    ghost_cli: GhostCli,
    monkeypatch: pytest.MonkeyPatch,
    fill_once: FillOnce,
) -> GhostCli:
    """Return the command line over a few memories with vectors of the static model."""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "static")

    def build() -> None:
        put = ghost_cli.ok
        put(
            *"put -n agent:me -k drink".split(),
            "The user drinks green tea in the morning.",
            *"-t taste --kind semantic".split(),
        )
        put(
            *"put -n agent:me -k editor".split(),
            "The user edits in Helix.",
            *"--tier ltm -p high --pinned".split(),
        )
        put(
            *"put -n agent:me -k ticket".split(),
            "Ticket OPS-10482 tracks the leak.",
            "--source-user",
            "Ann",
        )
        put("put", "-n", "agent:you", "-k", "drink", "The other user drinks coffee in the morning.")
        put(
            *"put -n agent:me -k asleep".split(),
            "The user drank cocoa in the morning as a child.",
            "--tier",
            "dormant",
        )

    fill_once(build)
    return ghost_cli


def test_a_hit_as_text(filled: GhostCli) -> None:
    """A hit is its name, score, date and tags, and the matching text below."""
    lines = filled.ok(
        "search", "-n", "agent:me", "what does the user drink in the morning?"
    ).splitlines()
    assert lines[0].startswith("agent:me/drink  ")
    assert lines[0].endswith("  #taste")
    assert "semantic" not in lines[0]
    assert lines[1] == "    The user drinks green tea in the morning."


def test_a_long_chunk_is_cut_around_the_match(ghost_cli: GhostCli) -> None:
    """What is shown of a long hit has the words of the query, not only the start of the chunk."""
    code = (
        "```python\n"
        + "value = compute(value, step)\n" * 30
        + "    raise Overflow\n"
        + "value = compute(value)\n" * 30
        + "```"
    )
    ghost_cli.ok("put", "-n", "a", "-k", "code", code)
    ghost_cli.ok(
        *"put -n a -k chinese".split(),
        "我们今天在港口看船" * 60 + "鸬鹚潜入水中" + "然后我们回家了" * 60,
    )
    for query, word in [("where is overflow raised?", "raise Overflow"), ("鸬鹚", "鸬鹚潜入水中")]:
        shown = ghost_cli.ok("search", "-n", "a", query).splitlines()[1]
        assert word in shown
        assert shown.endswith("...")
        assert len(shown) <= 4 + 300


def test_matches_stand_out_in_colour(filled: GhostCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """With colour the question's words are bold in the text, by their stems."""
    monkeypatch.setenv("GHOST_COLOR", "always")
    out = filled.ok("search", "-n", "agent:me", "drinking tea")
    assert "\x1b[1mdrinks\x1b[0m" in out
    assert "\x1b[1mtea\x1b[0m" in out
    assert "\x1b[1muser\x1b[0m" not in out
    assert "\x1b[" not in filled.ok("--no-color", "search", "-n", "agent:me", "drinking tea")


def test_hits_as_json(filled: GhostCli) -> None:
    """Each hit is one object: the memory's fields with score, chunk, lines and similarity."""
    hit = filled.rows("search", "-n", "agent:me", "OPS-10482")[0]
    assert (hit["ns"], hit["key"], hit["source_user"]) == ("agent:me", "ticket", "Ann")
    assert hit["match_chunk"] == hit["content"] == "Ticket OPS-10482 tracks the leak."
    assert (hit["start_line"], hit["end_line"]) == (1, 1)
    assert hit["score"] > 0.5
    assert 0 < hit["similarity"] <= 1
    assert "why" not in hit


def test_the_question_may_be_several_words_or_standard_input(filled: GhostCli) -> None:
    """Words need no quotes, and `-` or nothing reads the question from a pipe."""

    def found(*args: str, input: str | None = None) -> list[tuple[str, float, str]]:  # noqa: A002
        rows = filled.rows("search", "-n", "agent:me", *args, input=input)
        return [(row["key"], row["score"], row["match_chunk"]) for row in rows]

    expected = found("morning green tea")
    assert expected
    assert found("morning", "green", "tea") == expected
    assert found("-", input="morning green tea\n") == expected
    assert found(input="morning green tea") == expected


def test_namespaces(filled: GhostCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """One, a prefix, all, or that of the settings."""

    def names(*args: object) -> set[str]:
        return {row["ns"] for row in filled.rows("search", *args, "drinks in the morning")}

    assert names("-n", "agent:you") == {"agent:you"}
    assert names("-n", "agent:*") == names("-n", "*") == names("--all") == {"agent:me", "agent:you"}
    monkeypatch.setenv("GHOST_NS", "agent:you")
    assert names() == {"agent:you"}


def test_nothing_relevant(filled: GhostCli) -> None:
    """Silence is said beside the data, exits with zero, and is no line at all in JSON."""
    result = filled("search", "-n", "agent:me", "quantum chromodynamics of neutron stars")
    assert (result.code, result.out, result.err) == (0, "", "nothing relevant\n")
    assert filled.rows("search", "-n", "agent:me", "quantum chromodynamics of neutron stars") == []
    assert filled.rows(
        "search", "-n", "agent:me", "--min-score", "-9", "quantum chromodynamics of neutron stars"
    )


def test_abstention_can_be_switched_off(filled: GhostCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """GHOST_ABSTAIN=0 returns the nearest however far it is."""
    monkeypatch.setenv("GHOST_ABSTAIN", "0")
    assert filled.rows("search", "-n", "agent:me", "quantum chromodynamics of neutron stars")


def test_explain_as_text(filled: GhostCli) -> None:
    """Each hit has its lines and reasons; misses and legs follow beside the data."""
    result = filled("search", "-n", "agent:me", "-l", "1", "--explain", "green tea in the morning")
    assert result.code == 0
    third = result.out.splitlines()[2]
    assert third.startswith("    line 1; ")
    assert "lexical +" in third
    assert "text #1" in third
    assert "vector #" in third
    assert "missed: agent:me/" in result.err
    assert "retrievers: substring, text, vector" in result.err


def test_explain_as_json(filled: GhostCli) -> None:
    """Receipts are part of each object."""
    hit = filled.rows(
        "search", "-n", "agent:me", "-l", "1", "--explain", "green tea in the morning"
    )[0]
    assert sum(hit["why"]["parts"].values()) == pytest.approx(hit["score"], abs=0.001)
    assert hit["why"]["legs"]["text"] == 1


def test_explain_as_json_names_misses_and_legs(filled: GhostCli) -> None:
    """The nearest misses and the legs that ran are in the JSON too."""
    out = filled.ok(
        "--json", "search", "-n", "agent:me", "-l", "1", "--explain", "green tea in the morning"
    )
    assert '"misses"' in out
    assert '"substring"' in out


def test_degraded_search_says_so(filled: GhostCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without vectors of the chosen model the search goes by words, with a note beside the data."""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "local")
    result = filled("search", "-n", "agent:me", "green tea")
    assert result.out.startswith("agent:me/drink")
    assert result.err.startswith("note: agent:me has no vectors ")
    assert result.err.endswith("yet; `ghost embed backfill`\n")


@pytest.mark.parametrize(
    "query",
    ["c++", "don't", '"unbalanced', "NEAR(a b)", "a OR b*", ")", "🎉", "key:val", "-- --kind"],
)
def test_any_question_is_fine(filled: GhostCli, query: str) -> None:
    """Signs are data, after `--` also words that look like options."""
    assert filled("search", "-n", "agent:me", "--", query).code == 0


def test_content_cannot_drive_the_terminal(ghost_cli: GhostCli) -> None:
    """Control characters of a stored text are shown, not sent."""
    ghost_cli.ok("put", "-n", "a", "-k", "k", input="evil \x1b[31mred\x07 deployment")
    assert "\x1b" not in ghost_cli.ok("--no-color", "search", "-n", "a", "deployment")


@pytest.mark.smoke
def test_another_process_finds_what_this_one_put(program: Program) -> None:
    """The installed program puts and finds, by meaning too."""
    env: dict[str, Any] = {"GHOST_EMBED_PROVIDER": "static"}
    assert program("put", "-n", "a", "-k", "cat", "My feline sleeps on the couch.", **env).code == 0
    found = program("--json", "search", "-n", "a", "where does the cat nap?", **env)
    assert [row["key"] for row in found.rows] == ["cat"]


def test_there_is_no_store_yet(ghost_cli: GhostCli) -> None:
    """Searching makes no store, and finds nothing."""
    result = ghost_cli("search", "--all", "anything")
    assert (result.code, result.out, result.err) == (0, "", "nothing relevant\n")


MILL_STREET = {
    "dentist": "The dentist has moved to Mill Street 14.",
    "garage": "The garage on Mill Street repairs bicycles too.",
    "vet": "The vet on Lake Road vaccinates cats, and the street is steep.",
    "parade": "A street parade takes place once a year.",
    "tea": "Grandmother drinks green tea without sugar.",
}
MILL = "What is on Mill Street?"


@pytest.fixture
def street(ghost_cli: GhostCli) -> GhostCli:
    """Return the command line over memories of which some are strong and some weaker hits of one question."""
    for key, text in MILL_STREET.items():
        ghost_cli.ok("put", "-n", "town", "-k", key, text)
    return ghost_cli


def test_weaker_matches_are_counted_beside_the_data(street: GhostCli) -> None:
    """The list has the strong hits, and standard error says how many weaker ones there are."""
    result = street("search", "-n", "town", MILL)
    assert result.code == 0
    assert [line.split()[0] for line in result.out.splitlines() if not line.startswith(" ")] == [
        "town/garage",
        "town/dentist",
    ]
    assert result.err == "2 weaker hits not shown; --weak lists them\n"
    result = street("search", "-n", "town", "-l", "3", MILL)
    assert result.err == "1 weaker hit not shown; --weak lists them\n"
    result = street("search", "-n", "town", "-l", "2", MILL)
    assert result.err == ""


def test_weak_lists_them_after_the_strong_ones(street: GhostCli) -> None:
    """With --weak the weaker hits follow, each marked after its score, and nothing is said beside the data."""
    result = street("search", "-n", "town", "--weak", MILL)
    heads = [line.split() for line in result.out.splitlines() if not line.startswith(" ")]
    assert [head[0] for head in heads[:2]] == ["town/garage", "town/dentist"]
    assert {head[0] for head in heads[2:]} == {"town/vet", "town/parade"}
    assert [head[2] == "weak" for head in heads] == [False, False, True, True]
    assert (result.code, result.err) == (0, "")


def test_weaker_matches_as_json(street: GhostCli) -> None:
    """The last object gives their number; with --weak, or where there are none, there is no such object."""
    *hits, last = street.rows("search", "-n", "town", MILL)
    assert [hit["key"] for hit in hits] == ["garage", "dentist"]
    assert last == {"weaker": 2}
    listed = street.rows("search", "-n", "town", "--weak", MILL)
    assert [hit["key"] for hit in listed[:2]] == ["garage", "dentist"]
    assert [hit.get("weak", False) for hit in listed] == [False, False, True, True]
    assert [hit["key"] for hit in street.rows("search", "-n", "town", "green tea")] == ["tea"]
    assert street.rows("search", "-n", "town", "quantum chromodynamics") == []


def test_weaker_matches_and_explain_share_the_last_object(street: GhostCli) -> None:
    """With --explain the last object has the number beside legs and misses."""
    last = street.rows("search", "-n", "town", "--explain", MILL)[-1]
    assert last["weaker"] == 2
    assert last["legs"] == ["substring", "text"]
    assert "misses" in last


def test_the_cut_off_can_be_switched_off(street: GhostCli, monkeypatch: pytest.MonkeyPatch) -> None:
    """GHOST_CUTOFF=off lists every hit in the same order, without marks and without a count."""
    expected = [hit["key"] for hit in street.rows("search", "-n", "town", "--weak", MILL)]
    monkeypatch.setenv("GHOST_CUTOFF", "off")
    listed = street.rows("search", "-n", "town", MILL)
    assert [hit["key"] for hit in listed] == expected
    assert not any(hit.get("weak") for hit in listed)
    assert street("search", "-n", "town", MILL).err == ""
    monkeypatch.setenv("GHOST_CUTOFF", "sometimes")
    error, _ = street.fails(2, "search", "-n", "town", MILL)
    assert "cutoff" in error


def test_a_floor_replaces_the_cut_off(street: GhostCli) -> None:
    """--min-score lists whatever scores as much, and no hit is weak."""
    listed = street.rows("search", "-n", "town", "--min-score", "0", MILL)
    assert {"garage", "dentist", "vet", "parade"} <= {hit["key"] for hit in listed}
    assert not any(hit.get("weak") for hit in listed)
    assert [
        hit["key"] for hit in street.rows("search", "-n", "town", "--min-score", "0.6", MILL)
    ] == ["garage", "dentist"]


def test_weaker_matches_are_not_counted_as_shown(street: GhostCli) -> None:
    """Only listed hits raise the count of a memory."""

    def counts() -> dict[str, int]:
        return {
            row["key"]: row["access_count"]
            for row in street.rows("list", "-n", "town")
            if row["access_count"]
        }

    street.ok("search", "-n", "town", MILL)
    assert counts() == {"garage": 1, "dentist": 1}
    street.ok("search", "-n", "town", "--weak", MILL)
    assert counts() == {"garage": 2, "dentist": 2, "vet": 1, "parade": 1}


def test_nothing_is_called_irrelevant_before_it_was_compared(
    street: GhostCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where texts have no vectors yet, an empty result says that the search was not complete."""
    assert street("search", "-n", "town", "boiling ethanol").err == "nothing relevant\n"
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "static")
    result = street("search", "-n", "town", "boiling ethanol")
    assert (result.code, result.out) == (0, "")
    first, second = result.err.splitlines()
    assert first == "nothing found so far; part of the store has not been searched by meaning yet"
    assert second.startswith("note: town has no vectors ")
    street.ok("embed", "backfill")
    assert street("search", "-n", "town", "quantum chromodynamics").err == "nothing relevant\n"


def test_the_text_shows_the_match(ghost_cli: GhostCli) -> None:
    """A long memory is cut around the words that were found, not at its start."""
    filler = [f"Line {number} has ordinary words about nothing." for number in range(3, 9)]
    text = "\n".join([*filler, "The zeppelin landed in the garden.", *filler])
    ghost_cli.ok("put", "-n", "a", "-k", "long", text)
    shown = ghost_cli.ok("search", "-n", "a", "zeppelin").splitlines()[1]
    assert "The zeppelin landed" in shown
    assert len(shown) < 320
