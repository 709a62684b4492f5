"""ghost import, of exports and of the original's JSON array"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli

HEADER = '{"type": "ghost", "format": 1}\n'
MEMORY: dict[str, Any] = {
    "type": "memory",
    "id": "01M7EFJHAZQVZVQQWY4FE7JVKE",
    "ns": "a",
    "key": "k",
    "content": "text",
    "created_at": "2026-01-02T03:04:05.678901Z",
}


def line(**changes: Any) -> str:
    """Return a line of an export with some fields changed; None leaves a field out."""
    return (
        json.dumps({name: value for name, value in (MEMORY | changes).items() if value is not None})
        + "\n"
    )


@pytest.fixture
def exported(ghost_cli: "GhostCli", original: Any) -> str:
    """Return an export that has everything: versions, edges, links, files, rules, days of use."""
    other = ("--db", "other.db")
    ghost_cli.ok(*other, "import", "--from-ghost", original("head.db"))
    ghost_cli.ok(
        *other,
        *"put -n z -k new -t t --source-client cli --valid-to 2027-01-01".split(),
        "x\u2028y",
    )
    ghost_cli.ok(*other, "get", "-n", "z", "new")
    return ghost_cli.ok(*other, "export")


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in the test's folder."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("way", ["stdin", "dash", "file"])
def test_export_import_export_gives_the_same_bytes(
    ghost_cli: "GhostCli", exported: str, way: str
) -> None:
    """Ids, versions, times, counters, edges, links, files, rules and days of use all survive."""
    Path("x.jsonl").write_bytes(exported.encode())
    args = {"stdin": [], "dash": ["-"], "file": ["x.jsonl"]}[way]
    done = ghost_cli.row("import", "--trust", *args, input="" if way == "file" else exported)
    rows = [json.loads(text)["type"] for text in exported.split("\n") if text]
    assert done["imported"] == rows.count("memory")
    assert (done["edges"], done["links"], done["rules"]) == (
        rows.count("edge"),
        rows.count("link"),
        rows.count("rule"),
    )
    assert done["accesses"] == rows.count("access")
    assert min(done["edges"], done["links"], done["rules"], done["accesses"]) > 0
    assert ghost_cli.ok("export") == exported
    assert ghost_cli.ok("check") == "clean\n"


def test_an_export_that_was_cut_gets_a_note(ghost_cli: "GhostCli") -> None:
    """A cut at the end of a line leaves valid lines, so only the header shows it."""
    for key in ("one", "two", "three"):
        ghost_cli.ok("put", "-n", "a", "-k", key, f"the text of {key}")
    whole = ghost_cli.ok("export").splitlines(keepends=True)
    Path("whole.jsonl").write_text("".join(whole), encoding="utf-8")
    Path("cut.jsonl").write_text("".join(whole[:3]), encoding="utf-8")
    cut = ghost_cli.rows("--db", "cut.db", "import", "--trust", "cut.jsonl")[0]
    assert cut["imported"] == 2
    assert "the export had 3 memory lines, the input has 2" in cut["notes"][0]
    assert ghost_cli.rows("--db", "whole.db", "import", "--trust", "whole.jsonl")[0]["notes"] == []


def test_importing_twice_changes_nothing(ghost_cli: "GhostCli", exported: str) -> None:
    """The second time everything is unchanged."""
    first = ghost_cli.row("import", "--trust", input=exported)
    again = ghost_cli.row("import", "--trust", input=exported)
    assert (again["imported"], again["updated"], again["unchanged"]) == (0, 0, first["imported"])
    assert (again["edges"], again["links"], again["rules"]) == (0, 0, 0)
    assert ghost_cli.ok("export") == exported


def test_text_says_what_came_in(ghost_cli: "GhostCli") -> None:
    """One sentence with the counts."""
    out = ghost_cli.ok("import", input=HEADER + line())
    assert out == "imported versions: 1 new, 0 updated, 0 unchanged, 0 skipped\n"


def test_dry_run_changes_nothing(ghost_cli: "GhostCli", exported: str) -> None:
    """--dry-run counts what would come in and stores nothing."""
    planned = ghost_cli.row("import", "--dry-run", input=exported)
    assert planned["dry_run"]
    assert ghost_cli.ok("import", "--dry-run", input=exported).startswith("would import versions: ")
    assert ghost_cli.names() == []
    assert ghost_cli.row("import", input=exported) == {**planned, "dry_run": False}


def test_a_history_that_goes_on_is_continued(ghost_cli: "GhostCli") -> None:
    """Newer versions of a known memory are added with their numbers."""
    ghost_cli.ok("--db", "o.db", "put", "-n", "a", "-k", "k", "one")
    ghost_cli.ok("import", input=ghost_cli.ok("--db", "o.db", "export"))
    ghost_cli.ok("--db", "o.db", "put", "-n", "a", "-k", "k", "two")
    text = ghost_cli.ok("--db", "o.db", "export")
    done = ghost_cli.row("import", input=text)
    assert (done["imported"], done["unchanged"]) == (1, 1)
    assert [row["content"] for row in ghost_cli.rows("history", "-n", "a", "k")] == ["one", "two"]
    assert ghost_cli.ok("check") == "clean\n"


@pytest.mark.parametrize(
    ("policy", "counts", "content"),
    [("update", {"updated": 1}, "theirs"), ("skip", {"skipped": 1}, "ours")],
)
def test_another_history_follows_on_conflict(
    ghost_cli: "GhostCli", policy: str, counts: dict[str, int], content: str
) -> None:
    """update writes theirs as the next version, skip keeps ours."""
    ghost_cli.ok("put", "-n", "a", "-k", "k", "ours")
    done = ghost_cli.row("import", "--on-conflict", policy, input=HEADER + line(content="theirs"))
    assert {name: done[name] for name in ("imported", "updated", "skipped") if done[name]} == counts
    assert ghost_cli.ok("get", "-n", "a", "k") == content + "\n"


@pytest.mark.parametrize("policy", ["update", "skip"])
def test_a_dry_run_counts_conflicts_like_the_real_run(ghost_cli: "GhostCli", policy: str) -> None:
    """--dry-run reports the same numbers as the run after it."""

    ghost_cli.ok("put", "-n", "a", "-k", "k", "ours")
    args = ("import", "--on-conflict", policy)
    planned = ghost_cli.row(*args, "--dry-run", input=HEADER + line(content="theirs"))
    assert ghost_cli.row(*args, input=HEADER + line(content="theirs")) == {
        **planned,
        "dry_run": False,
    }


@pytest.mark.parametrize("change", [("put", "newer"), ("rm",)])
def test_importing_again_keeps_later_changes(
    ghost_cli: "GhostCli", change: tuple[str, ...]
) -> None:
    """A text that an earlier import wrote as the next version does not come back."""
    name, *text = change
    ghost_cli.ok("put", "-n", "a", "-k", "k", "own")
    assert ghost_cli.row("import", input=HEADER + line())["updated"] == 1
    ghost_cli.ok(name, "-n", "a", "-k", "k", *text)
    before = ghost_cli.ok("export")
    assert ghost_cli.row("import", input=HEADER + line())["unchanged"] == 1
    assert ghost_cli.ok("export") == before


def test_fail_stops_before_anything_is_written(ghost_cli: "GhostCli") -> None:
    """--on-conflict fail exits 4, names the memory, and imports nothing else either."""
    ghost_cli.ok("put", "-n", "a", "-k", "k", "ours")
    before = ghost_cli.ok("export")
    text = HEADER + line(id="01M7EFJHAZQVZVQQWY4FE7JVK0", key="fresh") + line(content="theirs")
    error, hint = ghost_cli.fails(4, "import", "--on-conflict", "fail", input=text)
    assert "a/k" in error
    assert hint
    assert ghost_cli.ok("export") == before


def test_the_originals_array_is_read(ghost_cli: "GhostCli") -> None:
    """The original's export, one JSON array, comes in with its fields; meta may be text, the tier `archived`."""
    rows = [
        {"id": "01M7EFJHAZQVZVQQWY4FE7JVKE", "ns": "a", "key": "k", "content": "one", "kind": "semantic", "tags": ["t"],
         "version": 3, "created_at": "2026-01-02T03:04:05Z", "priority": "high", "access_count": 7, "meta": '{"m": 1}',
         "importance": 0.7, "utility_count": 2, "tier": "archived", "pinned": False, "est_tokens": 20},
        {"ns": "a", "key": "bare", "content": "two"},
    ]  # fmt: skip
    text = json.dumps(rows, indent=2)
    assert ghost_cli.row("import", input="\ufeff" + text)["imported"] == 2
    found = ghost_cli.row("get", "-n", "a", "k")
    kept = {
        name: found[name]
        for name in ("version", "tags", "priority", "access_count", "meta", "importance", "tier")
    }
    assert kept == {
        "version": 3,
        "tags": ["t"],
        "priority": "high",
        "access_count": 7,
        "meta": {"m": 1},
        "importance": 0.7,
        "tier": "dormant",
    }
    assert ghost_cli.ok("get", "-n", "a", "bare") == "two\n"
    assert ghost_cli.row("import", input=text)["unchanged"] == 2


@pytest.mark.wide(keep=16)
@pytest.mark.parametrize(
    ("text", "named"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param("\n \n", "empty", id="blank"),
        pytest.param("[]", "empty", id="empty-array"),
        pytest.param("hello", "line 1 is not JSON", id="text"),
        pytest.param("{}", "line 1: this is not an export", id="no-header"),
        pytest.param('"x"', "line 1 is not an object", id="a-string"),
        pytest.param('{"type": "ghost", "format": 99}', "format 99 is newer", id="newer"),
        pytest.param(HEADER + line() + "{broken\n", "line 3 is not JSON", id="broken-line"),
        pytest.param(HEADER + line()[:40], "line 2 is not JSON", id="cut-off"),
        pytest.param(HEADER + "[1]\n", "line 2 is not an object", id="array-line"),
        pytest.param(HEADER + '{"type": "dream"}\n', "'dream'", id="unknown-type"),
        pytest.param(HEADER + line(colour="red"), "'colour'", id="unknown-field"),
        pytest.param(HEADER + line(ns=None), "'ns'", id="no-ns"),
        pytest.param(HEADER + line(content=""), "'content'", id="no-content"),
        pytest.param(HEADER + line(created_at=None), "created_at", id="no-time"),
        pytest.param(HEADER + line(created_at="soon"), "'soon'", id="bad-time"),
        pytest.param(HEADER + line(kind="odd"), "'odd'", id="bad-kind"),
        pytest.param(HEADER + line(importance=7), "7", id="bad-importance"),
        pytest.param(HEADER + line(version=-1), "-1", id="bad-version"),
        pytest.param(HEADER + line(version=0), "0", id="version-zero"),
        pytest.param(HEADER + line(tags="t"), "'t'", id="bad-tags"),
        pytest.param(HEADER + line(meta=[1]), "[1]", id="bad-meta"),
        pytest.param(HEADER + line(pinned="yes"), "'yes'", id="bad-pinned"),
        pytest.param(HEADER + line(files="f.py"), "'f.py'", id="bad-files"),
        pytest.param(HEADER + line(files=["f.py"]), "list of objects", id="file-without-path"),
        pytest.param(
            HEADER + line(files=[{"path": "f", "rel": "odd"}]),
            "invalid file relation 'odd'",
            id="bad-rel",
        ),
        pytest.param(HEADER + line(version=2**63 - 1), "too large", id="large-version"),
        pytest.param(HEADER + line(access_count=2**63 - 1), "too large", id="large-count"),
        pytest.param(HEADER + line() + HEADER, "line 3: another export begins", id="two-exports"),
        pytest.param(HEADER + line(content="a\x00b"), "NUL", id="nul"),
        pytest.param(HEADER + line(content="a\ud800b"), "D800", id="surrogate"),
        pytest.param(
            HEADER + line() + line(id="01M7EFJHAZQVZVQQWY4FE7JVK0"),
            "a/k has the same version twice",
            id="version-twice",
        ),
        pytest.param(
            HEADER + line() + line(id="01M7EFJHAZQVZVQQWY4FE7JVK0", version=2),
            "more than one live version",
            id="two-live",
        ),
        pytest.param("[1]", "item 1", id="array-of-numbers"),
        pytest.param('[{"ns": "a", "key": "k"}]', "item 1", id="array-without-content"),
        pytest.param('[{"ns": "a"', "not JSON", id="array-cut-off"),
    ],
)
def test_broken_input_imports_nothing(ghost_cli: "GhostCli", text: str, named: str) -> None:
    """The whole input is checked first: one error that names the line and the value, exit 2, the store as before."""

    ghost_cli.ok("put", "-n", "b", "-k", "old", "kept")
    before = ghost_cli.ok("export")
    error, hint = ghost_cli.fails(2, "import", input=text)
    assert named in error
    assert "nothing" in f"{error} {hint}"
    assert ghost_cli.ok("export") == before


@pytest.mark.parametrize("field", ["ns", "key"])
def test_a_renamed_copy_can_be_imported_beside_its_source(
    ghost_cli: "GhostCli", field: str
) -> None:
    """`ghost export | sed s/old/new/ | ghost import` copies memories under new names, or says why it cannot."""

    ghost_cli.ok("import", input=HEADER + line())
    result = ghost_cli("import", input=HEADER + line(**{field: "renamed"}))
    assert result.code in {0, 2, 4}, result
    assert "Constraint" not in result.err


def test_ids_that_occur_twice_are_refused(ghost_cli: "GhostCli") -> None:
    """One id for two memories in the input is an error of the input, not of Ghost."""

    error, _ = ghost_cli.fails(2, "import", input=HEADER + line() + line(key="other"))
    assert MEMORY["id"] in error


def test_an_import_that_fails_late_leaves_nothing_behind(ghost_cli: "GhostCli") -> None:
    """What is found to be impossible after a thousand memories undoes those thousand."""

    ghost_cli.ok("import", input=HEADER + line(key="taken"))
    many = "".join(line(id=f"{number:026d}", key=f"k{number:04d}") for number in range(600))
    result = ghost_cli("import", input=HEADER + many + line(key="zzz"))
    assert result.code == 0 or len(ghost_cli.names()) == 1


def test_invalid_utf8_is_named_as_such(ghost_cli: "GhostCli") -> None:
    """A file in another encoding is refused with the place, nothing is imported."""
    Path("latin.jsonl").write_bytes((HEADER + line(content="caf#")).encode().replace(b"#", b"\xe9"))
    error, _ = ghost_cli.fails(2, "import", "latin.jsonl")
    assert "latin.jsonl is not UTF-8" in error
    assert ghost_cli.names() == []


@pytest.mark.parametrize("flags", [(), ("--from-ghost",)])
def test_a_store_is_not_an_export(ghost_cli: "GhostCli", flags: tuple[str, ...]) -> None:
    """The hint has a command that imports the store."""
    ghost_cli.ok("put", "-n", "a", "-k", "k", "text")
    ghost_cli.ok("backup", "my copy.db")
    _, hint = ghost_cli.fails(5 if flags else 2, "import", *flags, "my copy.db")
    assert "`ghost --db 'my copy.db' export | ghost import`" in hint


@pytest.mark.parametrize(
    ("args", "code"), [(["nope.jsonl"], 3), (["folder"], 3), (["a", "--from-ghost", "b"], 2)]
)
def test_the_source_must_be_one_file(ghost_cli: "GhostCli", args: list[str], code: int) -> None:
    """A missing file, a folder or two sources are refused."""
    Path("folder").mkdir()
    ghost_cli.fails(code, "import", *args)


def test_a_folder_is_not_called_missing(ghost_cli: "GhostCli") -> None:
    """A folder given instead of a file is named as what it is."""

    Path("folder").mkdir()
    error, _ = ghost_cli.fails(3, "import", "folder")
    assert "is a folder" in error
