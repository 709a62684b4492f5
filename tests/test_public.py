"""The public names, and the order of packages."""

import ast
import dataclasses
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from itertools import pairwise
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

import ghostmem
from ghostmem import (
    Chunk,
    FileRef,
    Ghost,
    InvalidInputError,
    LostConnectionError,
    Memory,
    errors,
)
from ghostmem.clock import as_time, format_time, parse_ttl, read_time
from ghostmem.ghost import MOVED
from ghostmem.ids import UlidMaker, is_ulid, milliseconds
from ghostmem.settings import Settings, load, resolve, write_config
from ghostmem.store import Store, again

ROOT = Path(__file__).parent.parent


@pytest.mark.requirement("002-011")
def test_all_is_the_contract() -> None:
    """Every public name can be had from the package root, and nothing else can."""
    for name in ghostmem.__all__:
        assert getattr(ghostmem, name) is not None
    assert dir(ghostmem) == ghostmem.__all__
    with pytest.raises(AttributeError):
        ghostmem.Nothing  # noqa: B018


def test_every_error_is_public() -> None:
    """Whatever Ghost raises can be caught by a name from the package root."""
    raised = {
        name
        for name, made in vars(errors).items()
        if isinstance(made, type) and issubclass(made, errors.GhostError)
    }
    assert raised <= set(ghostmem.__all__)


def test_importing_the_package_imports_no_engine() -> None:
    """The package root is lazy."""
    code = "import ghostmem, sys; print([m for m in sys.modules if m.startswith('ghostmem.') and m[9:] not in ('_version', 'lazy')])"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )


@pytest.mark.requirement("002-007")
def test_core_types_are_frozen_with_to_dict(ghost: Ghost) -> None:
    """Memory, Chunk and FileRef cannot be changed and can be written as JSON."""
    memory = ghost.put("a", "k", "text", files=["f"])
    for value, kind in (
        (memory, Memory),
        (ghost.chunks("a", "k")[0], Chunk),
        (memory.files[0], FileRef),
    ):
        assert isinstance(value, kind)
        assert isinstance(value.to_dict(), dict)
        with pytest.raises(dataclasses.FrozenInstanceError):
            value.path = "x"  # type: ignore[misc, union-attr]


def test_equal_records_have_equal_hashes(ghost: Ghost) -> None:
    """The order of keys in meta, and the type of an equal number, make no difference."""
    memory = replace(ghost.put("agent:a", "k", "text", importance=1.0), meta={"a": 1, "b": 2})
    other = replace(memory, meta={"b": 2, "a": 1}, importance=1)
    assert memory == other
    assert len({memory, other, replace(ghost.get("agent:a", "k"), meta={})}) == 2


@pytest.mark.requirement("002-165", "002-166")
def test_open_in_one_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path is enough; without one the settings decide; the store closes with its block."""
    with Ghost.open(tmp_path / "a.db") as ghost:
        assert ghost.put("project:x", "fact", "...").version == 1
    monkeypatch.setenv("GHOST_DB", str(tmp_path / "a.db"))
    with Ghost.open() as ghost:
        assert ghost.get("project:x", "fact").content == "..."


@pytest.mark.requirement("002-005")
def test_packages_import_only_packages_below_them() -> None:
    """The order of packages in pyproject.toml holds."""
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 kept, 0 broken" in done.stdout


@pytest.mark.parametrize(
    "package",
    "context graph lifecycle memory search store store/postgres store/sqlite transfer truth".split(),
)
def test_the_docstring_of_a_package_lists_its_modules(package: str) -> None:
    """Each module is named, and each name in the left column of a list is a module."""
    folder = ROOT / "src" / "ghostmem" / package
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert modules <= set(re.findall(r"\w+", text))
    listed = re.findall(r"^((?:\w+, )*\w+)(?:  |,$)", text, re.MULTILINE)
    assert {name for names in listed for name in names.split(", ")} <= modules


@pytest.mark.requirement("002-006")
def test_both_commands_start_the_same_program() -> None:
    """`ghost` and `ghostmem` are one, and so is `python -m ghostmem`."""
    folder = Path(sys.executable).parent
    outputs = {
        subprocess.run([*command, "version"], capture_output=True, text=True, check=True).stdout
        for command in (
            [folder / "ghost"],
            [folder / "ghostmem"],
            [sys.executable, "-m", "ghostmem"],
        )
    }
    assert outputs == {f"ghost {ghostmem.__version__}\n"}


def test_ulids_increase_within_a_millisecond_and_when_the_clock_steps_back() -> None:
    """Order never breaks."""
    make = UlidMaker()
    made = [make(ms) for ms in (5, 5, 5, 3, 9, 9, 2**48 - 1, 1)]
    assert all(a < b for a, b in pairwise(made))
    assert all(is_ulid(u) for u in made)
    assert milliseconds(made[0]) == 5


def test_ulids_of_different_makers_differ() -> None:
    """Processes that make ids for the same time make no equal ones, not even for 1970."""
    assert len({UlidMaker()(ms) for ms in (0, 0, 5, 5)}) == 4


def test_times_round_trip_and_sort() -> None:
    """Written times sort as text and come back exactly, whatever the zone or year."""
    times = [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(999, 5, 5, 1, 2, 3, 4, tzinfo=UTC),
        datetime(2026, 1, 1, tzinfo=UTC),
        datetime.max.replace(tzinfo=UTC),
    ]
    texts = [format_time(t) for t in times]
    assert texts == sorted(texts)
    assert [read_time(t) for t in texts] == times
    assert as_time("2026-01-01T02:00:00+02:00") == datetime(2026, 1, 1, tzinfo=UTC)
    assert as_time(datetime(2026, 1, 1)) == datetime(2026, 1, 1, tzinfo=UTC)
    assert parse_ttl("90m") == timedelta(minutes=90)


@pytest.mark.requirement("002-049", "002-204")
def test_settings_come_from_four_places_in_order(tmp_path: Path) -> None:
    """Arguments beat the environment beats the file beats the defaults, and each value knows where it came from."""
    config = tmp_path / "config.toml"
    config.write_text(
        '# mine\nns = "from:file"\nbusy_timeout = 5\nformat = "json"\n', encoding="utf-8"
    )
    env = {"GHOST_CONFIG": str(config), "GHOST_NS": "from:env", "AGENT_MEMORY_DB": "/legacy.db"}
    found = resolve(env, format="text")
    assert found["format"] == ("text", "argument")
    assert found["ns"] == ("from:env", "GHOST_NS")
    assert found["busy_timeout"] == (5.0, str(config))
    assert found["synchronous"] == ("full", "default")
    assert found["db"] == ("/legacy.db", "AGENT_MEMORY_DB")
    assert load({**env, "GHOST_DB": "/new.db"}).db == "/new.db"
    assert load({**env, "GHOST_DB": "/new.db"}, db="/arg.db").db == "/arg.db"
    assert Settings().path.endswith("/.ghost/memory.db")
    assert resolve({"NO_COLOR": "1"})["color"] == ("never", "NO_COLOR")


def test_config_set_keeps_the_other_lines(tmp_path: Path) -> None:
    """Comments and other settings survive; a quote in a value too."""
    config = tmp_path / "sub" / "config.toml"
    write_config(str(config), "db", '~/a"b\\c')
    config.write_text("# hello\n" + config.read_text(encoding="utf-8"), encoding="utf-8")
    assert write_config(str(config), "busy_timeout", "7") == 7.0
    write_config(str(config), "ns", "x")
    assert (
        config.read_text(encoding="utf-8")
        == '# hello\ndb = "~/a\\"b\\\\c"\nbusy_timeout = 7.0\nns = "x"\n'
    )
    assert load({"GHOST_CONFIG": str(config)}).ns == "x"


@pytest.mark.parametrize(
    ("env", "named"),
    [
        ({"GHOST_FORMAT": "xml"}, "'xml'"),
        ({"GHOST_BUSY_TIMEOUT": "soon"}, "'soon'"),
        ({"GHOST_BUSY_TIMEOUT": "-1"}, "'-1'"),
        ({"GHOST_MAX_CONTENT_BYTES": "nan"}, "'nan'"),
    ],
)
def test_bad_settings_name_the_value_and_the_place(env: dict[str, str], named: str) -> None:
    """A wrong setting is an error that says which variable holds it."""
    with pytest.raises(InvalidInputError) as caught:
        load(env)
    assert named in caught.value.message
    assert next(iter(env)) in caught.value.message


@pytest.mark.parametrize("text", ["ns = ", "nope = 1", "ns = 7"])
def test_a_broken_config_file_is_named(tmp_path: Path, text: str) -> None:
    """A file that cannot be read is an error with its path, not silence."""
    config = tmp_path / "config.toml"
    config.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError, match="config.toml"):
        load({"GHOST_CONFIG": str(config)})


def test_members_of_enums_are_keys_like_their_texts() -> None:
    """A member equals its text, so a dictionary finds it by either."""
    assert {ghostmem.Rel.CONTAINS: 1}["contains"] == {"contains": 1}[ghostmem.Rel.CONTAINS] == 1


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("put", {"tags": 5}),
        ("put", {"files": 5}),
        ("put", {"files": [["a.py"]]}),
        ("put", {"symbols": 5}),
        ("put", {"symbols": [["a.b"]]}),
        ("put", {"pinned": "false"}),
        ("put", {"pinned": 2}),
        ("put", {"ttl": 7}),
        ("put", {"created_at": date(2026, 3, 14)}),
        ("put", {"created_at": 1710000000}),
        ("put", {"valid_to": datetime.max.replace(tzinfo=timezone(timedelta(hours=-1)))}),
        ("list", {"pinned": "yes"}),
        ("search", {"tiers": 5}),
        ("search", {"tiers": "ltm"}),
        ("search", {"min_score": "0.5"}),
        ("context", {"files": 5}),
        ("used", {"keys": 5}),
        ("create_token", {"grants": None}),
        ("audit_log", {"limit": -1}),
        ("gc", {"stale": 7}),
        ("rm", {"hard": "false"}),
        ("rm", {"all_versions": "no"}),
        ("rm", {"unlock": "false"}),
        ("rm_namespace", {"hard": "false"}),
        ("forget", {"hard": "false"}),
        ("forget", {"source": ""}),
        ("forget", {"source_scope": 5}),
        ("put", {"unlock": "false"}),
        ("put", {"allow_secrets": "false"}),
        ("put", {"dedup": "no"}),
        ("put", {"importance": np.str_("high")}),
        ("put", {"importance": Decimal("nan")}),
        ("put_many", {"memories": None}),
        ("put_many", {"judge": "false"}),
        ("curate", {"op": ["pin"]}),
        ("curate", {"unlock": "false"}),
        ("restore", {"unlock": "false"}),
        ("patch", {"allow_secrets": "false"}),
        ("rm_tag", {"unlock": "false"}),
        ("resolve", {"both": "false"}),
        ("consolidate", {"allow_secrets": "false"}),
        ("reflect", {"dry_run": "false"}),
        ("undo", {"dry_run": "false"}),
        ("gc", {"dry_run": "false"}),
        ("backup", {"force": "false"}),
        ("capture", {"allow_secrets": "false"}),
        ("ingest", {"trust": "false"}),
        ("ingest_transcript", {"allow_secrets": "false"}),
        ("mine_procedures", {"sessions": 5}),
        ("import_", {"source": None}),
        ("import_", {"source": b"{}"}),
        ("import_", {"trust": "false"}),
        ("import_", {"dry_run": "false"}),
        ("import_ghost", {"trust": "false"}),
        ("import_ghost", {"on_conflict": "replace"}),
        ("import_foreign", {"trust": "false"}),
        ("import_foreign", {"on_conflict": ["skip"]}),
        ("drop_held", {"dry_run": "false"}),
        ("relink", {"dry_run": "false"}),
        ("infer_edges", {"again": "false"}),
        ("write_note", {"key": None}),
    ],
)
def test_wrong_types_raise_errors_of_ghost(
    ghost: Ghost, method: str, arguments: dict[str, object]
) -> None:
    """A value of a wrong type raises InvalidInputError with the name of the parameter."""
    ghost.put("a", "k", "The cup is blue.")
    required = {
        "put": {"ns": "a", "key": "k", "content": "text"},
        "search": {"query": "cup"},
        "context": {"query": "cup"},
        "used": {"ns": "a"},
        "create_token": {"name": "n"},
        "rm": {"ns": "a", "key": "k"},
        "rm_namespace": {"ns": "a"},
        "forget": {"since": "2026-01-01"},
        "put_many": {} if "memories" in arguments else {"memories": []},
        "curate": {"ns": "a", "key": "k"} | ({} if "op" in arguments else {"op": "pin"}),
        "restore": {"ns": "a", "key": "k"},
        "patch": {"ns": "a", "key": "k", "diff": ""},
        "rm_tag": {"tag": "t"},
        "resolve": {"ns": "a", "keep": "k"},
        "consolidate": {"ns": "a", "summary_key": "s", "content": "t", "source_keys": ["k", "l"]},
        "undo": {"run": "last"},
        "backup": {"target": "copy.db"},
        "capture": {"text": "text", "ns": "a"},
        "ingest": {"path": "notes.md", "ns": "a"},
        "import_": {} if "source" in arguments else {"source": []},
        "import_ghost": {"path": "memory.db"},
        "import_foreign": {"path": "notes", "ns": "a", "kind": "markdown"},
        "drop_held": {"held_ids": ["1234"]},
        "relink": {"ns": "a"},
        "infer_edges": {"ns": "a"},
        "ingest_transcript": {"path": "session.jsonl", "ns": "a"},
        "write_note": {"ns": "a", "text": "text"},
    }
    with pytest.raises(InvalidInputError) as error:
        attrgetter(MOVED.get(method, method))(ghost)(**required.get(method, {}), **arguments)
    assert next(iter(arguments)).rstrip("s") in str(error.value)


@pytest.mark.parametrize("method", ["list", "reflect", "export", "rules"])
@pytest.mark.parametrize("value", [0, False, [], {}])
def test_an_empty_value_is_not_all_namespaces(ghost: Ghost, method: str, value: object) -> None:
    """Only None and an empty text mean all namespaces."""
    with pytest.raises(InvalidInputError, match="namespace must be text"):
        list(attrgetter(MOVED.get(method, method))(ghost)(ns=value))


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("", "k", "text"), "give one, such as agent:coder"),
        (("a", " ", "text"), "a key is short and descriptive, such as user-timezone"),
        (("a", "k", " "), "give the text of the memory"),
    ],
)
def test_hints_name_no_options_of_the_command_line(
    ghost: Ghost, arguments: tuple[str, str, str], hint: str
) -> None:
    """The same check serves the library, REST and MCP."""
    with pytest.raises(InvalidInputError) as error:
        ghost.put(*arguments)
    assert error.value.hint == hint


def test_a_fraction_is_not_a_whole_number(ghost: Ghost) -> None:
    """The error says what is wrong with it, not that it is too small."""
    with pytest.raises(InvalidInputError, match="limit must be a whole number, not 5.0"):
        ghost.list(limit=5.0)  # type: ignore[arg-type]


def test_an_import_of_bytes_says_how_to_open_the_file(ghost: Ghost) -> None:
    """A file that was opened in binary mode."""
    with pytest.raises(InvalidInputError, match="line 1 must be text, not bytes") as error:
        ghost.import_([b'{"type": "ghost"}'])  # type: ignore[list-item]
    assert error.value.hint == "open the file in text mode"


def test_no_tiers_from_an_iterator_are_the_default_tiers(ghost: Ghost) -> None:
    """An empty iterator of tiers means the same as an empty list."""
    ghost.put("a", "k", "The cup is blue.", tier="dormant")
    assert ghost.search("cup", "a", tiers=iter(())) == ghost.search("cup", "a", tiers=[]) == []


def test_a_retry_reads_the_values_of_an_iterator_again(ghost: Ghost) -> None:
    """An operation that is retried after a lost connection has all values of an iterator."""
    attempts: list[list[str]] = []

    @again
    def operation(_: Store, tags: Iterable[str], *, keys: Iterable[str]) -> list[str]:
        attempts.append([*tags, *keys])
        if len(attempts) == 1:
            raise LostConnectionError("gone")
        return attempts[-1]

    assert operation(ghost.store, iter(["a"]), keys=(key for key in "bc")) == ["a", "b", "c"]
    assert len(attempts) == 2


def test_a_clock_without_a_time_zone_is_in_utc() -> None:
    """A clock such as `datetime.utcnow` works like one with a time zone."""
    with Ghost.open(":memory:", clock=lambda: datetime(2026, 3, 14, 9, 30)) as ghost:
        assert ghost.put("a", "k", "text", ttl="1h").created_at == datetime(
            2026, 3, 14, 9, 30, tzinfo=UTC
        )
        assert len(ghost.search("text", "a")) == 1
        assert ghost.reflect("a").memories_evaluated == 1
    with pytest.raises(InvalidInputError, match="clock None"):
        Ghost.open(":memory:", clock=lambda: None)  # type: ignore[arg-type, return-value]


def test_a_store_is_opened_by_a_path_and_nothing_else(tmp_path: Path) -> None:
    """An object with a path is used by its path; other values create no file of their name."""

    class Place:
        def __fspath__(self) -> str:
            return str(tmp_path / "here.db")

    with Ghost.open(Place()) as ghost:  # type: ignore[arg-type]
        ghost.put("a", "k", "text")
    assert (tmp_path / "here.db").exists()
    for target in (b"there.db", 5, True, ["a.db"], "a\0.db"):
        with pytest.raises(InvalidInputError, match="target"):
            Ghost.open(target)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="embedder"):
        Ghost.open(":memory:", embedder=5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("ingest", {"ns": "a"}),
        ("ingest_transcript", {"ns": "a"}),
        ("mine_procedures", {}),
        ("add_notes", {}),
        ("sync_notes", {}),
        ("mirror", {"ns": "a"}),
        ("import_ghost", {}),
        ("import_foreign", {"ns": "a", "kind": "mem0"}),
        ("backup", {}),
    ],
)
def test_paths_that_no_file_can_have(ghost: Ghost, method: str, arguments: dict[str, str]) -> None:
    """A text in place of a path, or a value of another type, raises an error of Ghost."""
    names = {"mine_procedures": "paths", "backup": "target"}
    folders = dict.fromkeys(("sync_notes", "mirror"), "folder")
    name = (names | folders).get(method, "path")
    for value in ("text " * 1000, "a\0b", "\ud800", 5, b"notes.md"):
        with pytest.raises(InvalidInputError, match=name.rstrip("s")):
            attrgetter(MOVED.get(method, method))(ghost)(**{name: value}, **arguments)


def test_numbers_of_numpy_are_numbers(ghost: Ghost) -> None:
    """A number that a calculation with numpy returns can be passed on."""
    memory = ghost.put("a", "k", "The cup is blue.", importance=np.float32(0.5), pinned=np.True_)
    assert (memory.importance, memory.pinned) == (0.5, True)
    assert len(ghost.list("a", limit=np.int64(3), pinned=np.True_)) == 1
    assert len(ghost.search("cup", "a", limit=np.int64(3), min_score=np.float32(0))) == 1
    assert ghost.get("a", "k", version=np.int64(1)).version == 1
    assert ghost.context("cup", "a", budget=np.int64(500)).budget == 500
    with pytest.raises(InvalidInputError, match="min_score"):
        ghost.search("cup", min_score=10**400)
