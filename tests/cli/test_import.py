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


@pytest.mark.wide(keep=16)
@pytest.mark.parametrize(
    ("text", "named"),
    [
        pytest.param("", "empty", id="empty"),
        pytest.param("\n \n", "empty", id="blank"),
        pytest.param("[]", "empty", id="empty-array"),
        pytest.param("hello", "line 1: this is not JSON", id="text"),
        pytest.param("{}", "line 1: this is not an export", id="no-header"),
        pytest.param('"x"', "line 1: this is not an object", id="a-string"),
        pytest.param('{"type": "ghost", "format": 99}', "format 99 is newer", id="newer"),
        pytest.param(HEADER + line() + "{broken\n", "line 3: this is not JSON", id="broken-line"),
        pytest.param(HEADER + line()[:40], "line 2: this is not JSON", id="cut-off"),
        pytest.param(HEADER + "[1]\n", "line 2: this is not an object", id="array-line"),
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
