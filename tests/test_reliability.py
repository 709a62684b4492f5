"""What docs/reliability.md promises: every proof it names exists, its figures are all good, and old stores open."""

import re
from pathlib import Path

import apsw
import pytest
from bench.fault_table import ENGINES, filled, joined, marked, rows

from ghostmem import Ghost
from ghostmem.settings import Settings
from ghostmem.store.sqlite import schema

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
NONE = Settings(embed_provider="none")
OLDER = list(schema.MIGRATIONS)[:-1]


def older_copy(path: Path, target: Path, last: str) -> None:
    """Write a store as the Ghost whose newest migration was `last` would have: its tables, with what those can hold."""
    db = apsw.Connection(str(target))
    db.execute(f"PRAGMA application_id={schema.APPLICATION_ID}")
    db.execute(schema.LEDGER)
    for name in list(schema.MIGRATIONS)[: OLDER.index(last) + 1]:
        db.execute(schema.MIGRATIONS[name])
        db.execute("INSERT INTO migrations VALUES (?, '2026-01-01T00:00:00Z', '0.0.1')", (name,))
    db.execute("ATTACH ? AS newer", (str(path),))
    made = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    for (table,) in list(db.execute(made)):
        if table == "migrations" or re.match(r"chunks_(fts|tri)|sqlite_", table):
            continue
        ours, newer = (
            {row[1] for row in db.execute(f"PRAGMA {where}.table_info({table})")}
            for where in ("main", "newer")
        )
        columns = ", ".join(f'"{name}"' for name in sorted(ours & newer))
        db.execute(
            f"INSERT OR REPLACE INTO main.{table} ({columns}) SELECT {columns} FROM newer.{table}"
        )
    db.execute("DETACH newer")
    db.close()


@pytest.mark.parametrize("last", OLDER)
def test_a_store_of_every_earlier_schema_opens(tmp_path: Path, last: str) -> None:
    """Whatever migration a file stopped at: everything in it is there, it can be written, and a copy of it is kept."""
    with Ghost.open(tmp_path / "new.db", settings=NONE) as ghost:
        ghost.put("agent:a", "tea", "Sam drinks green tea.", tags=["t"], files=["a.md"])
        ghost.put("agent:a", "tea", "Sam drinks black tea.")
        ghost.put("agent:a", "mug", "The mug is blue.")
        ghost.edge("agent:a", "tea", "mug", "depends_on")
        before = [
            (old.version, old.content, old.tags, old.created_at)
            for old in ghost.history("agent:a", "tea")
        ]
    older_copy(tmp_path / "new.db", tmp_path / "old.db", last)
    with Ghost.open(tmp_path / "old.db", settings=NONE) as ghost:
        assert [
            (old.version, old.content, old.tags, old.created_at)
            for old in ghost.history("agent:a", "tea")
        ] == before
        assert [(edge.from_key, edge.to_key) for edge in ghost.edges("agent:a", "tea")] == [
            ("tea", "mug")
        ]
        ghost.put("agent:a", "cup", "The cup is red.")
        ghost.admin.repair()  # the full text was left out of the copy: every index can be made from the rows
        assert ghost.admin.check().ok
        assert [hit.key for hit in ghost.search("what does Sam drink?", "agent:a", limit=1)] == [
            "tea"
        ]
    assert (
        tmp_path / f"old.db.before-{list(schema.MIGRATIONS)[OLDER.index(last) + 1]}.bak"
    ).exists()


def test_every_proof_exists() -> None:
    """Each test and each benchmark that the page names is there."""
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)
    assert len(named) >= 20
    for path, function in named:
        assert (ROOT / path).exists(), path
        assert not function or f"def {function}(" in (ROOT / path).read_text(encoding="utf-8"), (
            f"{path}::{function}"
        )
    for module in re.findall(r"`python -m (bench\.\w+)", PAGE):
        assert (ROOT / f"{module.replace('.', '/')}.py").exists(), module


@pytest.mark.parametrize("engine", ENGINES)
def test_the_figures_are_all_there_and_good(engine: str) -> None:
    """The table of an engine has a row for each of its scenarios, and none that failed."""
    from bench.faults import scenarios

    part = marked(PAGE, engine)
    assert [
        line.split("|")[1].strip()
        for line in part.splitlines()
        if re.match(r"\| (?!scenario|-)", line)
    ] == list(scenarios(engine))
    assert "| fail |" not in part


def test_a_page_is_filled_from_results() -> None:
    """What was measured replaces what stood there, and nothing else; a failure would be seen."""
    found = {
        "scenarios": [
            {
                "scenario": "a | b",
                "result": "pass",
                "seconds": 1.24,
                "facts": {"rounds": 1200},
                "problems": [],
            },
            {
                "scenario": "c",
                "result": "skip",
                "seconds": 0.0,
                "facts": {},
                "problems": [],
                "reason": "only root mounts",
            },
            {"scenario": "d", "result": "fail", "seconds": 0.1, "facts": {}, "problems": ["lost"]},
        ],
        "machine": {"system": "Linux x", "cores": 2, "load": 0.5, "python": "3.11.7"},
    }
    page = "before\n\n<!-- measured: sqlite -->\nold\n<!-- end: sqlite -->\n\nafter\n"
    made = filled(page, "sqlite", found)
    assert made.startswith("before\n\n<!-- measured: sqlite -->\n")
    assert made.endswith("<!-- end: sqlite -->\n\nafter\n")
    assert "| a \\| b | pass | 1.2 | rounds 1,200 |" in made
    assert rows(found)[1] == "| c | skip | 0.0 | only root mounts |"
    assert rows(found)[2] == "| d | fail | 0.1 | lost |"
    assert "old" not in made
    again = {
        "scenarios": [{**found["scenarios"][2], "result": "pass"}],
        "machine": found["machine"],
    }
    assert [one["result"] for one in joined([found, again])["scenarios"]] == [
        "pass",
        "skip",
        "pass",
    ]
    with pytest.raises(SystemExit, match="no place"):
        filled("nothing", "sqlite", found)
