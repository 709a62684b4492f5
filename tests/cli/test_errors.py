"""Bad input of every sort: one clear error that names the value, a hint, the right exit code, and nothing changed"""

import errno
import json
import os
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from conftest import GhostCli

USAGE, MISSING, CONFLICT, ENGINE = 2, 3, 4, 5
PUT = ("put", "-n", "a", "-k", "k")
LONG = "x" * 129


@dataclass(frozen=True)
class Case:
    """One bad call: its words, its exit code, what the error must name, and its standard input."""

    args: tuple[str, ...]
    code: int
    named: str
    data: str | bytes = ""

    @property
    def title(self) -> str:
        """Return the call in few printable characters."""
        return ascii(" ".join(arg if len(arg) < 40 else f"{arg[:10]}…" for arg in self.args))[1:-1]


def bad(*args: str, names: str, code: int = USAGE, data: str | bytes = "") -> Case:
    """Declare a bad call."""
    return Case(args, code, names, data)


CONTENT = [
    bad(*PUT, "", names="content"),
    bad(*PUT, "  \n\t ", names="content"),
    bad(*PUT, names="content"),
    bad(*PUT, "-", names="content", data="\n"),
    bad(*PUT, names="content", data=b"\xef\xbb"),
    bad(*PUT, names="not UTF-8", data=b"abc\xff"),
    bad(*PUT, names="NUL", data="a\x00b"),
    bad(*PUT, "a\x00b", names="NUL"),
    bad(*PUT, "a\ud800b", names="U+D800"),
    bad(*PUT, "a\udcffb", names="U+DCFF"),
]
NAMESPACES = [
    bad("put", "-n", ns, "-k", "k", "x", names=repr(ns)[:40] if ns else "namespace")
    for ns in (
        "",
        *":x x: a::b _x".split(),
        "a b",
        "a/b",
        "a.b",
        LONG,
        "a:_b",
        "a:*",
        "*",
        "ü",
        "a\nb",
        ":",
        "a:b:",
    )
] + [
    bad("put", "-n", "a\x00", "-k", "k", "x", names="NUL"),
    bad("put", "-n", "a\ud800", "-k", "k", "x", names="U+D800"),
    bad("put", "-n", "", "-k", "k", "x", names="namespace"),
    bad("get", "-n", "", "k", names="namespace"),
    bad("list", "-n", "a:*:b", names="'a:*:b'"),
    bad("export", "-n", "*x", names="'*x'"),
    bad("ingest", ".", "-n", "a b", names="'a b'"),
    bad("ns", "rm", "", names="namespace"),
    bad("ns", "rm", "*", names="'*'"),
]
KEYS = [
    bad("put", "-n", "a", "-k", "", "x", names="key"),
    bad("put", "-n", "a", "-k", " ", "x", names="key"),
    bad("put", "-n", "a", "-k", "a\nb", "x", names=r"'a\nb'"),
    bad("put", "-n", "a", "-k", "x" * 513, "x", names="xxx"),
    bad("put", "-n", "a", "-k", "a\x00b", "x", names="NUL"),
    bad("put", "-n", "a", "-k", "a\udcff", "x", names="U+DCFF"),
    bad("get", "-n", "a", names="key"),
    bad("get", "-n", "a", "-k", "one", "two", names="'one' and 'two'"),
    bad("get", "-n", "a", "k\x00", names="NUL"),
    bad("rm", "-n", "a", names="key"),
    bad("history", "-n", "a", names="key"),
    bad("restore", "-n", "a", names="key"),
]
FIELDS = [
    bad(*PUT, "--kind", "fact", "x", names="'fact'"),
    bad(*PUT, "--kind", "", "x", names="kind"),
    bad(*PUT, "--tier", "attic", "x", names="'attic'"),
    bad(*PUT, "-p", "urgent", "x", names="'urgent'"),
    bad(*PUT, "--source-kind", "rumour", "x", names="'rumour'"),
    bad(*PUT, "--files", "f", "--file-rel", "eaten", "x", names="'eaten'"),
    bad(*PUT, "--files", "a\nb", "x", names=r"'a\nb'"),
    bad(*PUT, "--importance", "7", "x", names="7.0"),
    bad(*PUT, "--importance", "-0.1", "x", names="-0.1"),
    bad(*PUT, "--importance", "nan", "x", names="nan"),
    bad(*PUT, "--importance", "much", "x", names="'much'"),
    bad(*PUT, "--base-version", "-1", "x", names="-1"),
    bad(*PUT, "--base-version", "one", "x", names="'one'"),
    bad(*PUT, "--base-version", "9" * 30, "x", names="999"),
    bad(*PUT, "--meta", "{", "x", names="meta"),
    bad(*PUT, "--meta", "[1]", "x", names="[1]"),
    bad(*PUT, "--meta", '{"a": NaN}', "x", names="meta"),
    bad(*PUT, "--meta", '{"a": "\\ud800"}', "x", names="U+D800"),
    bad(*PUT, "-t", "a\x07b", "x", names=r"'a\x07b'"),
    bad(*PUT, "-t", "y" * 257, "x", names="yyy"),
    bad(*PUT, "--source-user", "a\nb", "x", names=r"'a\nb'"),
    bad(*PUT, "--created-at", "soon", "x", names="'soon'"),
    bad(*PUT, "--created-at", "2026-02-30", "x", names="'2026-02-30'"),
    bad(*PUT, "--valid-from", "1e9", "x", names="'1e9'"),
    bad(*PUT, "--pinned", "--ttl", "7d", "x", names="a/k is pinned"),
    bad(*PUT, "-t", "locked", "--ttl", "7d", "x", names="a/k is locked"),
    *(
        bad(*PUT, "--ttl", ttl, "x", names=repr(ttl))
        for ttl in ("invalid", "", "7x", "7", "d", "-1d", "1.5h", "7 d", "７d", "1" * 12 + "d")
    ),
]
READING = [
    bad("list", "--kind", "fact", names="'fact'"),
    bad("list", "--tier", "identity", names="'identity'"),
    bad("list", "-p", "urgent", names="'urgent'"),
    bad("list", "--source-kind", "rumour", names="'rumour'"),
    bad("list", "-l", "-1", names="-1"),
    bad("list", "-l", "0", names="0"),
    bad("list", "-l", "many", names="'many'"),
    bad("list", "-l", "9" * 30, names="999"),
    bad("list", "--offset", "-1", names="-1"),
    bad("list", "--after", "2026-13-01", names="'2026-13-01'"),
    bad("list", "--before", "", names="''"),
    bad("list", "-f", "xml", names="'xml'"),
    bad("files", "f.py", "--rel", "eaten", names="'eaten'"),
    bad("files", "f.py", "-l", "-3", names="-3"),
    bad("get", "-n", "a", "kept", "-v", "-1", names="-1"),
    bad("get", "-n", "a", "kept", "-v", "0", names="0"),
    bad("get", "-n", "a", "kept", "-v", "9" * 30, names="999"),
    bad("restore", "-n", "a", "kept", "-v", "-1", names="-1"),
    bad("restore", "-n", "a", "kept", "-v", "x", names="'x'"),
    bad("list", "--key-prefix", "a\udcff", names="U+DCFF"),
    bad("list", "--source-user", "a\udcff", names="U+DCFF"),
    bad("list", "--source-scope", "a\udcff", names="U+DCFF"),
    bad("gc", "--stale", "old", names="'old'"),
    bad("gc", "--purge-deleted", "never", names="'never'"),
    bad("tags", "rename", "t", "", names="''"),
    bad("tags", "rename", "t", "a\udcff", names="U+DCFF"),
]
ABSENT = [
    bad("get", "-n", "a", "nope", names="a/nope", code=MISSING),
    bad("get", "-n", "a", "kept", "-v", "9", names="a/kept version 9", code=MISSING),
    bad("history", "-n", "a", "nope", names="a/nope", code=MISSING),
    bad("rm", "-n", "a", "nope", names="a/nope", code=MISSING),
    bad("rm", "-n", "a", "nope", "--hard", "--all-versions", names="a/nope", code=MISSING),
    bad("restore", "-n", "a", "nope", names="a/nope", code=MISSING),
    bad("patch", "-n", "a", "nope", names="a/nope", code=MISSING, data="@@ -1 +1 @@\n-a\n+b\n"),
    bad("ns", "rm", "nope", names="'nope'", code=MISSING),
    bad("import", "nope.jsonl", names="nope.jsonl", code=MISSING),
    bad("import", "--from-ghost", "nope.db", names="nope.db", code=MISSING),
    bad("ingest", "nope.md", "-n", "a", names="nope.md", code=MISSING),
]
CLASHES = [
    bad("put", "-n", "a", "-k", "kept", "--base-version", "0", "x", names="a/kept", code=CONFLICT),
    bad("put", "-n", "a", "-k", "new", "--base-version", "1", "x", names="a/new", code=CONFLICT),
    bad("put", "-n", "a", "-k", "safe", "x", names="a/safe", code=CONFLICT),
    bad("rm", "-n", "a", "-k", "safe", names="a/safe", code=CONFLICT),
    bad("ns", "rm", "a", names="a/safe", code=CONFLICT),
    bad("restore", "-n", "a", "kept", names="a/kept", code=CONFLICT),
    bad(
        "patch", "-n", "a", "kept", names="'other'", code=CONFLICT, data="@@ -1 +1 @@\n-other\n+b\n"
    ),
    bad("backup", "exists.txt", names="exists.txt", code=CONFLICT),
]
WORDS = [
    bad("lst", names="'lst'"),
    bad("nonsense", names="'nonsense'"),
    bad("ns", "lst", names="'lst'"),
    bad("tags", "nonsense", names="'nonsense'"),
    bad("list", "--limt", "3", names="--limt"),
    bad("--jsn", "list", names="--jsn"),
    bad("list", "extra", names="extra"),
    bad("put", "-n", "a", "-k", names="-k"),
    bad("completion", "tcsh", names="'tcsh'"),
    bad("completion", names="bash"),
    bad("files", names="PATH"),
    bad("tags", "rename", "t", names="NEW"),
    bad("import", "--on-conflict", "pray", names="'pray'"),
    bad("import", "exists.txt", "--from-ghost", "exists.txt", names="two sources"),
]
LINES = [
    bad("import", names="empty"),
    bad("import", names="line 1", data="hello\n"),
    bad(
        "import", "-", names="line 2", data='{"type": "ghost", "format": 1}\n{"type": "memory", \n'
    ),
    bad("import", "exists.txt", names="line 1"),
    bad("patch", "-n", "a", "kept", names="diff"),
    bad("patch", "-n", "a", "kept", names="'not a diff'", data="not a diff"),
    bad("patch", "-n", "a", "kept", names="not UTF-8", data=b"\xff"),
    bad("patch", "-n", "a", "kept", names="a/kept", data="@@ -1 +0,0 @@\n-kept content\n"),
]
CASES = [*CONTENT, *NAMESPACES, *KEYS, *FIELDS, *READING, *ABSENT, *CLASHES, *WORDS, *LINES]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a store with a memory, a locked one and a removed one."""
    path = tmp_path_factory.mktemp("template") / "memory.db"
    with Ghost.open(path, settings=Settings()) as ghost:
        ghost.put("a", "kept", "kept content", tags=["t"], files=["f.py"])
        ghost.put("a", "safe", "safe content", tags=["locked"])
        ghost.put("b", "gone", "removed")
        ghost.rm("b", "gone")
    return path


@pytest.fixture(autouse=True)
def filled(template: Path, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work on a copy of that store, in a folder with a text file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exists.txt").write_text("precious\n")
    store.parent.mkdir(mode=0o700)
    shutil.copyfile(template, store)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_bad_input_is_one_clear_error_and_changes_nothing(
    ghost_cli: "GhostCli", tmp_path: Path, case: Case
) -> None:
    """Exit code, one error that names the value, one hint, empty output, and an export that is the same as before."""

    before = ghost_cli.ok("export")
    error, hint = ghost_cli.fails(case.code, *case.args, input=case.data)
    assert case.named in error
    assert hint
    assert len(error) < 300
    assert ghost_cli.ok("export") == before
    assert (tmp_path / "exists.txt").read_text() == "precious\n"


@pytest.mark.parametrize(
    "case",
    [*CONTENT[:2], *FIELDS[:2], *ABSENT, *CLASHES, *WORDS, *LINES],
    ids=lambda case: case.title,
)
def test_in_json_an_error_is_one_object(ghost_cli: "GhostCli", case: Case) -> None:
    """With --json standard error has one object: the error's name, message, hint and exit code."""
    result = ghost_cli("--json", *case.args, input=case.data)
    assert (result.code, result.out) == (case.code, "")
    found = json.loads(result.err)
    assert found.keys() == {"error", "message", "hint", "exit_code"}
    assert found["exit_code"] == case.code
    assert case.named in found["message"]


@pytest.mark.parametrize(
    ("args", "close"),
    [
        (["lst"], "list"),
        (["hstory"], "history"),
        (["exprot"], "export"),
        (["ns", "lst"], "list"),
        (["list", "--limt", "3"], "--limit"),
        (["put", "--importanc", "1"], "--importance"),
    ],
    ids=" ".join,
)
def test_typos_are_answered_by_what_comes_close(
    ghost_cli: "GhostCli", args: list[str], close: str
) -> None:
    """Unknown commands, subcommands and options say what may have been meant."""
    error, hint = ghost_cli.fails(USAGE, *args)
    said = f"{error} {hint}".lower()
    assert "did you mean" in said
    assert close in said.split("did you mean")[1]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("delete", "rm"),
        ("remove", "rm"),
        ("erase", "rm"),
        ("add", "put"),
        ("update", "put"),
        ("save", "put"),
        ("remember", "put"),
        ("show", "get"),
        ("fetch", "get"),
        ("read", "get"),
        ("find", "search"),
        ("query", "search"),
        ("recall", "context"),
        ("ls", "list"),
        ("quarantine delete", "drop"),
        ("config get", "show"),
        ("rule remove", "delete"),
        ("token delete", "revoke"),
        ("tags delete", "rm"),
    ],
)
def test_other_words_for_a_command_lead_to_it(ghost_cli: "GhostCli", line: str, meant: str) -> None:
    """A synonym suggests the command of its meaning, and none that is only spelled like it."""
    _, hint = ghost_cli.fails(USAGE, *line.split())
    assert hint == f"did you mean {meant}?"


def test_the_hint_of_a_missing_value_names_the_command(ghost_cli: "GhostCli") -> None:
    """`ghost put -n a -k` leads to the help of put."""

    _, hint = ghost_cli.fails(USAGE, "put", "-n", "a", "-k")
    assert "ghost put --help" in hint


@pytest.mark.parametrize("size", [10_000_001, pytest.param(50_000_000, marks=pytest.mark.slow)])
def test_content_of_fifty_megabytes_is_refused(ghost_cli: "GhostCli", size: int) -> None:
    """Too large a text exits 2 with its size and the limit, and nothing is stored."""
    before = ghost_cli.ok("export")
    error, hint = ghost_cli.fails(USAGE, *PUT, input=b"x" * size)
    assert f"{size:,} bytes" in error
    assert "GHOST_MAX_CONTENT_BYTES" in hint
    assert ghost_cli.ok("export") == before


def foreign(sql: Callable[..., Any], path: Path, *statements: str) -> Path:
    """Write a database of another program."""
    for statement in statements:
        sql(path, statement)
    return path


def make_folder(path: Path, _: Any) -> Path:
    """Make a folder."""
    path.mkdir()
    return path


def make_text(path: Path, _: Any) -> Path:
    """Write a text file."""
    path.write_text("dear diary\n")
    return path


def make_short_text(path: Path, _: Any) -> Path:
    """Write a file of one byte."""
    path.write_text("x")
    return path


def make_other(path: Path, sql: Callable[..., Any]) -> Path:
    """Write another program's database in SQLite's own journal mode."""
    return foreign(
        sql, path, "CREATE TABLE users (id, name)", "INSERT INTO users VALUES (1, 'ann')"
    )


def make_other_wal(path: Path, sql: Callable[..., Any]) -> Path:
    """Write another program's database in WAL mode."""
    return foreign(sql, path, "PRAGMA journal_mode=WAL", "CREATE TABLE users (id, name)")


def make_framework(path: Path, sql: Callable[..., Any]) -> Path:
    """Write a database as web frameworks do, which have a table `migrations` too."""
    return foreign(
        sql,
        path,
        "CREATE TABLE users (id)",
        "CREATE TABLE migrations (id INTEGER, migration TEXT, batch INTEGER)",
    )


def make_framework_named(path: Path, sql: Callable[..., Any]) -> Path:
    """Write a database whose table `migrations` has a column `name`, like ours."""
    return foreign(
        sql,
        path,
        "CREATE TABLE users (id)",
        "CREATE TABLE migrations (name TEXT)",
        "INSERT INTO migrations VALUES ('1')",
    )


def make_memories(path: Path, sql: Callable[..., Any]) -> Path:
    """Write another program's database that happens to have a table `memories`."""
    return foreign(sql, path, "CREATE TABLE memories (id, words)")


BAD_STORES = {
    "folder": make_folder,
    "text": make_text,
    "one-byte": make_short_text,
    "other": make_other,
    "other-wal": make_other_wal,
    "framework": make_framework,
    "framework-named": make_framework_named,
    "memories": make_memories,
}


@pytest.mark.parametrize(
    "command",
    [["list"], ["put", "-n", "a", "-k", "k", "x"], ["get", "-n", "a", "k"]],
    ids=lambda c: c[0],
)
@pytest.mark.parametrize("name", BAD_STORES)
def test_what_is_no_store_is_refused_untouched(
    ghost_cli: "GhostCli", tmp_path: Path, sql: Callable[..., Any], name: str, command: list[str]
) -> None:
    """A folder, a text or another program's database as --db exits 5, is named, and keeps every byte."""

    # into somebody else's database before the command fails

    path = BAD_STORES[name](tmp_path / "some.db", sql)

    def state() -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()}

    before = state()
    error, hint = ghost_cli.fails(ENGINE, "--db", str(path), *command)
    assert str(path) in error
    assert "--db" in hint
    assert state() == before


def test_the_originals_database_is_refused_with_the_way_over(
    ghost_cli: "GhostCli", original: Callable[[str], Path], tmp_path: Path
) -> None:
    """The original's own file is never written; the hint is a command that works as it stands."""
    path = original("head.db")
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    error, hint = ghost_cli.fails(ENGINE, "--db", str(path), "put", "-n", "a", "-k", "k", "x")
    assert str(path) in error
    command = hint.split("`")[1].split()
    assert command[:1] == ["ghost"]
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
    ghost_cli.ok(*command[1:])
    assert path.read_bytes() == before["head.db"]


@pytest.mark.parametrize("below", ["exists.txt/memory.db", "exists.txt/deep/memory.db"])
def test_a_folder_that_cannot_be_made_is_an_engine_error(
    ghost_cli: "GhostCli", tmp_path: Path, below: str
) -> None:
    """A store below a regular file exits 5 with the path; nothing is created."""
    before = sorted(tmp_path.iterdir())
    error, hint = ghost_cli.fails(ENGINE, "--db", below, "put", "-n", "a", "-k", "k", "x")
    assert "exists.txt" in error
    assert "--db" in hint
    assert sorted(tmp_path.iterdir()) == before


def test_a_server_address_makes_no_folder(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """The address of a server that does not answer is not taken for a path."""
    ghost_cli.monkeypatch.setenv("GHOST_BUSY_TIMEOUT", "0.5")
    before = sorted(tmp_path.iterdir())
    result = ghost_cli("--db", "postgresql://host/db", "list")
    assert result.code in {USAGE, ENGINE}
    assert sorted(tmp_path.iterdir()) == before


def test_a_store_that_cannot_be_created(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """The error names the folder and the reason; a name that is too long fails for root too."""
    error, hint = ghost_cli.fails(ENGINE, "--db", str(tmp_path / ("x" * 300)), *PUT, "one")
    assert error.startswith(f"cannot create the store in {tmp_path}: ")
    assert "--db" in hint


@pytest.mark.may_skip
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not bind root"
)
def test_a_folder_without_write_permission(ghost_cli: "GhostCli", tmp_path: Path) -> None:
    """A new store needs a folder that can be written."""
    folder = tmp_path / "ro"
    folder.mkdir(mode=0o500)
    error, _ = ghost_cli.fails(ENGINE, "--db", str(folder / "new.db"), *PUT, "one")
    assert error == f"cannot create the store in {folder}: {os.strerror(errno.EACCES)}"


def test_a_suggested_command_can_be_pasted(ghost_cli: "GhostCli") -> None:
    """Keys with spaces and quotes are written so that a shell reads them as one word."""
    key = "it's (conflict 2026-11-15 09.11)"
    ghost_cli.ok("put", "-n", "a", "-k", key, "one")
    ghost_cli.ok("rm", "-n", "a", key)
    for command in ("get", "rm"):
        _, hint = ghost_cli.fails(3, command, "-n", "a", key)
        assert f"`ghost restore -n a -k {shlex.quote(key)}`" in hint
    _, hint = ghost_cli.fails(3, "restore", "-n", "a", key, "--version", "9")
    assert shlex.split(hint.strip("`").removeprefix("run `")) == [
        "ghost", "history", "-n", "a", "-k", key,
    ]  # fmt: skip


def test_a_suggested_resolution_can_be_pasted(ghost_cli: "GhostCli") -> None:
    """The keys of the first contradiction are quoted."""
    for key in ("old office", "new office"):
        ghost_cli.ok("put", "-n", "a", "-k", key, f"The {key} is in Porto.")
    ghost_cli.ok("edge", "add", "-n", "a", "new office", "old office", "contradicts")
    done = ghost_cli("conflicts")
    assert "`ghost resolve -n a 'new office' 'old office'`" in done.err


@pytest.mark.parametrize(
    ("line", "step"),
    [
        (("patch", "db", "the new text"), '`ghost put -k KEY "TEXT"` replaces the text'),
        (("rm", "--all"), "`ghost ns rm NS` all of a namespace"),
        (("rm", "a", "b"), "`ghost rm KEY` deletes one memory"),
    ],
    ids=str,
)
def test_arguments_of_another_command_get_the_next_step(
    ghost_cli: "GhostCli", line: tuple[str, ...], step: str
) -> None:
    """An argument that a command does not take is answered with the command that does it."""
    assert step in ghost_cli.fails(2, *line)[1]
