"""ghost list"""

import io
import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ghostmem.cli.main import run

if TYPE_CHECKING:
    from conftest import GhostCli

FULL: list[tuple[str, str, list[str]]] = [
    ("agent:a", "tea", ["-t", "drink,likes", "--kind", "semantic", "--created-at", "2026-01-01"]),
    (
        "agent:a",
        "run",
        "-t sport --source-user ann --source-scope chat:1 --created-at 2026-01-02".split(),
    ),
    (
        "agent:a",
        "ship",
        "--kind procedural --tier ltm -p high --created-at 2026-01-03 --files d.sh".split(),
    ),
    ("agent:a:sub", "below", ["--pinned", "--created-at", "2026-01-04"]),
    ("agent:ab", "beside", ["--tier", "dormant", "--created-at", "2026-01-05"]),
    ("other", "far", ["--source-kind", "observed", "--created-at", "2026-01-06"]),
]
ALL = [
    "other/far",
    "agent:ab/beside",
    "agent:a:sub/below",
    "agent:a/ship",
    "agent:a/run",
    "agent:a/tea",
]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a store with six memories in four namespaces."""
    path = tmp_path_factory.mktemp("template") / "memory.db"
    for ns, key, fields in FULL:
        assert (
            run(["--db", str(path), "put", "-n", ns, "-k", key, *fields, f"content of {key}"]) == 0
        )
    return path


@pytest.fixture
def full(ghost_cli: "GhostCli", template: Path, store: Path) -> "GhostCli":
    """Return the command line on a copy of that store."""
    store.parent.mkdir(mode=0o700)
    shutil.copyfile(template, store)
    return ghost_cli


@pytest.mark.wide(keep=16)
@pytest.mark.parametrize(
    ("args", "keys"),
    [
        (["--all"], ALL),
        (["-n", "*"], ALL),
        (["-n", ""], ALL),
        (["-n", "agent:a"], ["agent:a/ship", "agent:a/run", "agent:a/tea"]),
        (["--ns", "agent:*"], ALL[1:]),
        (["-n", "agent:a:*"], ["agent:a:sub/below"]),
        (["-n", "agent:a*"], ALL[1:]),
        (["-n", "nobody"], []),
        (["-t", "drink"], ["agent:a/tea"]),
        (["-t", "drink,likes"], ["agent:a/tea"]),
        (["-t", "drink", "-t", "sport"], []),
        (["--tags", "dri"], []),
        (["-p", "high"], ["agent:a/ship"]),
        (["--no-pinned"], [key for key in ALL if key != "agent:a:sub/below"]),
        (["--before", "2026-01-02 00:00:00"], ALL[4:]),
        (["--after", "2026-01-03T00:00:00Z", "--before", "2026-01-03T00:00:00Z"], ["agent:a/ship"]),
        (["-l", "2"], ALL[:2]),
        (["--limit", "2", "--offset", "2"], ALL[2:4]),
        (["--offset", "6"], []),
        (
            ["-n", "agent:a", "--kind", "semantic", "-t", "likes", "--before", "2026-02-01"],
            ["agent:a/tea"],
        ),
    ],
)
def test_filters_narrow_and_pages_cut(full: "GhostCli", args: list[str], keys: list[str]) -> None:
    """Every filter must hold, newest first, limit and offset cut pages."""
    args = args if {"-n", "--ns", "--all"} & set(args) else ["--all", *args]
    assert full.ok("list", "--keys-only", *args).splitlines() == keys
    assert [f"{row['ns']}/{row['key']}" for row in full.rows("list", *args)] == keys


def test_text_shows_name_particulars_and_the_start(full: "GhostCli") -> None:
    """Two lines per memory: what it is, and how it begins."""
    lines = full.ok("list", "--all", "-t", "drink").splitlines()
    assert lines == ["agent:a/tea  2026-01-01  v1 #drink #likes", "    content of tea"]


def test_keys_only_in_json_is_namespace_and_key(full: "GhostCli") -> None:
    """--keys-only --json prints nothing but the names."""
    assert full.rows("list", "--all", "--keys-only", "-l", "1") == [{"ns": "other", "key": "far"}]


def test_nothing_found_is_success(full: "GhostCli") -> None:
    """No hits: exit 0, nothing on standard output, a word beside it in text only."""
    result = full("list", "-n", "nobody")
    nothing = "no memories; there is no namespace nobody: `ghost ns list` shows all\n"
    assert (result.code, result.out, result.err) == (0, "", nothing)
    assert full.rows("list", "-n", "nobody") == []


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["-t", "nope"], "no memories match the filters"),
        (["--no-pinned", "--kind", "procedural"], "no memories match the filters"),
        (["--deleted"], "no deleted memories"),
        (["--offset", "50"], "no memories after the first 50"),
    ],
)
def test_a_filter_is_not_taken_for_an_empty_store(
    ghost_cli: "GhostCli", args: list[str], text: str
) -> None:
    """The message says which memories there are none of."""
    ghost_cli.ok("put", "-n", "a", "-k", "tea", "Green tea.")
    assert ghost_cli("list", "-n", "a", *args).err == f"{text}\n"


def test_long_content_is_cut_at_a_word(ghost_cli: "GhostCli") -> None:
    """A listing stays readable: one line of text, marked where it was cut."""
    ghost_cli.ok("put", "-n", "a", "-k", "long", "word " * 100 + "\nnext line")
    line = ghost_cli.ok("list", "--all").splitlines()[1]
    assert line.endswith("word…")
    assert len(line) <= 115


def test_default_namespace_filters_and_a_star_lifts_it(
    full: "GhostCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    """GHOST_NS narrows a listing; -n wins over it."""
    monkeypatch.setenv("GHOST_NS", "other")
    assert full.names() == ["other/far"]
    assert full.names("-n", "*") == ALL
    assert full.names("-n", "agent:ab") == ["agent:ab/beside"]


@pytest.mark.parametrize(
    "command",
    [["list", "--all"], ["peek", "a"], ["history", "-n", "a", "evil"]],
    ids=lambda command: command[0],
)
def test_listings_do_not_obey_the_content(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    """Escape sequences inside a memory must not reach the terminal of whoever looks through the listing."""

    monkeypatch.setenv("GHOST_COLOR", "always")
    ghost_cli.ok(
        "put", "-n", "a", "-k", "evil", "--pinned", input="\x1b[2J\x1b]0;title\x07\x1b[8mhidden"
    )
    out = ghost_cli.ok(*command)
    assert "hidden" in out
    assert [code for code in ("\x1b[2J", "\x1b]0;", "\x07", "\x1b[8m") if code in out] == []


class Counting(io.StringIO):
    """A standard output that counts how often it is flushed."""

    flushed = 0

    def flush(self) -> None:
        """Count."""
        self.flushed += 1


@pytest.mark.parametrize("form", [(), ("--json",), ("--keys-only",)])
def test_many_lines_are_written_together(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    """A long listing is not written and flushed line by line."""
    rows = [
        {"ns": "long", "key": f"k{number:03}", "content": "text", "created_at": "2026-01-01"}
        for number in range(300)
    ]
    ghost_cli.ok("import", input=json.dumps(rows))
    written = Counting()
    monkeypatch.setattr(sys, "stdout", written)
    assert run(["list", "-n", "long", "-l", "1000", *form]) == 0
    assert written.getvalue().count("k299") == 1
    assert written.flushed < 20


def test_compact_is_a_line_of_json_for_each_memory(full: "GhostCli") -> None:
    """The original's flag gives what --json gives."""
    assert full.ok("list", "--all", "--compact") == full.ok("list", "--all", "--json")
