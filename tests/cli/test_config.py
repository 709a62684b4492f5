"""ghost config show, set and path"""

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost, InvalidInputError
from ghostmem.settings import listed_settings, read_config

if TYPE_CHECKING:
    from conftest import GhostCli


@pytest.fixture
def config(home: Path) -> Path:
    """Return where the configuration file is, once something wrote it."""
    return home / ".ghost" / "config.toml"


def shown(ghost_cli: "GhostCli") -> dict[str, dict[str, Any]]:
    """Return every setting as `config show` has it."""
    return {row["name"]: row for row in ghost_cli.rows("config", "show")}


def test_parts_of_the_profile_are_shown_when_they_are_set(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old names are still read, with a note that the profile has them."""
    monkeypatch.setenv("GHOST_FUSION", "rrf")
    found = shown(ghost_cli)
    assert (found["fusion"]["value"], found["fusion"]["source"]) == ("rrf", "GHOST_FUSION")
    assert found["fusion"]["about"].startswith("a part of GHOST_PROFILE=specified: ")
    assert "cutoff" not in found


def test_show_lists_every_setting(ghost_cli: "GhostCli") -> None:
    """Each setting with its value, where it comes from, and what it is."""
    found = shown(ghost_cli)
    assert list(found) == [part.name for part in listed_settings()]
    assert found["busy_timeout"] == {
        "name": "busy_timeout",
        "value": 30.0,
        "source": "default",
        "about": "seconds to wait for another process's write lock",
    }
    lines = ghost_cli.ok("config", "show").splitlines()
    assert len(lines) == len(found)
    assert any(
        line.startswith("busy_timeout = 30.0") and line.endswith("[default]") for line in lines
    )


def test_show_says_where_each_value_comes_from(
    ghost_cli: "GhostCli", config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The configuration file and the environment are named as sources."""
    ghost_cli.ok("config", "set", "ns", "agent:me")
    monkeypatch.setenv("GHOST_BUSY_TIMEOUT", "5")
    found = shown(ghost_cli)
    assert (found["ns"]["value"], found["ns"]["source"]) == ("agent:me", str(config))
    assert (found["busy_timeout"]["value"], found["busy_timeout"]["source"]) == (
        5.0,
        "GHOST_BUSY_TIMEOUT",
    )


@pytest.mark.parametrize(
    ("env", "args", "source"),
    [({}, [], "default"), ({"GHOST_DB": "x.db"}, [], "GHOST_DB"), ({"AGENT_MEMORY_DB": "x.db"}, [], "AGENT_MEMORY_DB"),
     ({}, ["--db", "x.db"], "argument")],
)  # fmt: skip
def test_show_says_where_the_store_comes_from(
    ghost_cli: "GhostCli",
    monkeypatch: pytest.MonkeyPatch,
    env: dict[str, str],
    args: list[str],
    source: str,
) -> None:
    """Also for the one setting whose wrong value makes memories seem lost."""

    for name, value in env.items():
        monkeypatch.setenv(name, value)
    rows = ghost_cli.rows("config", "show", *args)
    assert rows[0]["source"] == source


@pytest.mark.parametrize(
    ("name", "value", "parsed"),
    [
        ("db", "~/other.db", "~/other.db"),
        ("ns", "agent:me", "agent:me"),
        ("format", "json", "json"),
        ("color", "never", "never"),
        ("synchronous", "normal", "normal"),
        ("busy_timeout", "2.5", 2.5),
        ("max_content_bytes", "1000", 1000),
        ("chunk_target", "200", 200),
        ("embed_provider", "none", "none"),
        ("db", '/dir\\"quoted" ü.db', '/dir\\"quoted" ü.db'),
    ],
)
def test_set_writes_what_show_reads(
    ghost_cli: "GhostCli", config: Path, name: str, value: str, parsed: Any
) -> None:
    """A value set is the value shown, and the file is private."""
    assert ghost_cli.row("config", "set", name, value) == {
        "name": name,
        "value": parsed,
        "path": str(config),
    }
    assert config.stat().st_mode & 0o777 == 0o600
    assert config.parent.stat().st_mode & 0o777 == 0o700
    assert [path.name for path in config.parent.iterdir()] == ["config.toml"]
    assert shown(ghost_cli)[name]["value"] == parsed


def test_set_says_what_it_did(ghost_cli: "GhostCli", config: Path) -> None:
    """In text: the name, the value and the file."""
    assert (
        ghost_cli.ok("config", "set", "chunk_target", "300") == f"chunk_target = 300 in {config}\n"
    )


def test_set_keeps_other_lines(ghost_cli: "GhostCli", config: Path) -> None:
    """Comments and other settings stay as they are; the same setting is replaced."""
    config.parent.mkdir()
    config.write_text('# mine\nns = "a"\nchunk_target = 300  # why\n')
    ghost_cli.ok("config", "set", "ns", "b")
    assert config.read_text() == '# mine\nchunk_target = 300  # why\nns = "b"\n'


@pytest.mark.parametrize(
    "text",
    ['ns = """\na"""\n', '"ns" = "a"\n', "ns = 5\n", '\ufeffns = "a"\n', "", "# only a comment"],
)
def test_set_replaces_any_form_of_the_setting(
    ghost_cli: "GhostCli", config: Path, text: str
) -> None:
    """A quoted name, a text over several lines and a value of a wrong type are replaced."""
    config.parent.mkdir()
    config.write_text(text, encoding="utf-8")
    ghost_cli.ok("config", "set", "ns", "b")
    assert shown(ghost_cli)["ns"]["value"] == "b"


def test_set_keeps_line_ends_and_writes_control_characters(
    ghost_cli: "GhostCli", config: Path
) -> None:
    """A CRLF file stays one, and any text is written as valid TOML."""
    config.parent.mkdir()
    config.write_bytes(b"# mine\r\nchunk_target = 300\r\n")
    ghost_cli.ok("config", "set", "llm_command", "a\rb\tc")
    assert config.read_bytes().startswith(b"# mine\r\nchunk_target = 300\r\n")
    assert shown(ghost_cli)["llm_command"]["value"] == "a\rb\tc"


def test_a_file_with_a_byte_order_mark_is_read(ghost_cli: "GhostCli", config: Path) -> None:
    """Some editors on Windows write one."""
    config.parent.mkdir()
    config.write_text('ns = "a"\n', encoding="utf-8-sig")
    assert shown(ghost_cli)["ns"]["value"] == "a"


def test_values_set_at_the_same_time_are_all_kept(home: Path) -> None:
    """Each process reads the file that the one before it wrote."""
    values = {"chunk_target": 300, "hook_budget": 900, "relink_max": 9, "edge_hops": 3}
    running = [
        subprocess.Popen([sys.executable, "-m", "ghostmem", "config", "set", name, str(value)])
        for name, value in values.items()
    ]
    assert [process.wait() for process in running] == [0] * len(values)
    assert read_config(str(home / ".ghost" / "config.toml")) == values


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (["nope", "1"], "'nope'"),
        (["color", "blue"], "'blue'"),
        (["format", "xml"], "'xml'"),
        (["busy_timeout", "soon"], "'soon'"),
        (["chunk_target", "3"], "'3'"),
        (["max_content_bytes", "0"], "'0'"),
        (["max_content_bytes", "1.5"], "'1.5'"),
        (["db", ""], "db"),
        (["ns", "bad ns!"], "'bad ns!'"),
        (["ns", "a\udcff"], "ns"),
    ],
)
def test_set_refuses_what_is_not_accepted(
    ghost_cli: "GhostCli", config: Path, args: list[str], named: str
) -> None:
    """An unknown setting or a bad value is named, and the file stays as it was."""

    config.parent.mkdir()
    config.write_text("chunk_target = 300\n")
    error, hint = ghost_cli.fails(2, "config", "set", *args)
    assert named in error
    assert hint
    assert config.read_text() == "chunk_target = 300\n"
    assert [path.name for path in config.parent.iterdir()] == ["config.toml"]


def test_an_empty_store_name_never_loses_a_memory(ghost_cli: "GhostCli", config: Path) -> None:
    """What a put acknowledged, get returns, whatever the configuration says."""

    config.parent.mkdir()
    config.write_text('db = ""\n')
    if ghost_cli("put", "-n", "a", "-k", "x", "one").code == 0:
        assert ghost_cli.ok("get", "-n", "a", "x") == "one\n"


def test_path_prints_where_the_file_is(
    ghost_cli: "GhostCli", config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The default place, or GHOST_CONFIG's, whether or not the file exists."""
    assert ghost_cli.ok("config", "path") == f"{config}\n"
    monkeypatch.setenv("GHOST_CONFIG", "~/elsewhere.toml")
    assert ghost_cli.row("config", "path") == {"path": str(config.parent.parent / "elsewhere.toml")}


def test_path_works_when_the_file_is_broken(ghost_cli: "GhostCli", config: Path) -> None:
    """Whoever wants to mend the file must be able to ask where it is."""

    config.parent.mkdir()
    config.write_text("nonsense")
    assert ghost_cli("config", "path").code == 0


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("nonsense", "not valid TOML"),
        ("nope = 1\n", "'nope'"),
        ("busy_timeout = true\n", "True"),
        ('busy_timeout = "x"\n', "'x'"),
        ("ns = 3\n", "3"),
        ('color = "blue"\n', "'blue'"),
        ("[section]\nns = 1\n", "'section'"),
    ],
)
def test_a_broken_file_is_named(ghost_cli: "GhostCli", config: Path, text: str, named: str) -> None:
    """Any command says what is wrong with the file, and which file it is."""
    config.parent.mkdir()
    config.write_text(text)
    error, _ = ghost_cli.fails(2, "list")
    assert named in error
    assert str(config) in error


def test_a_relative_store_means_the_same_file_everywhere(
    ghost_cli: "GhostCli", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`ghost config set db notes.db` names a file, not whatever lies in the folder one happens to be in."""

    # the original's database suggests exactly such a command when --db was relative)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    ghost_cli.ok("config", "set", "db", "notes.db")
    ghost_cli.ok("put", "-n", "a", "-k", "x", "one")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert ghost_cli("get", "-n", "a", "x").out == "one\n"
    notes = ghost_cli.row("config", "set", "notes_dir", "notes")["value"]
    assert notes == str(tmp_path / "elsewhere" / "notes")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://app:S3CRET@[::1/shop",
        "postgresql://app:S3C%00RET@127.0.0.1:1/shop",
        "postgresql://127.0.0.1:1/shop?password=S3C%zzRET",
    ],
)
def test_a_url_that_cannot_be_read_is_refused_without_its_password(url: str) -> None:
    """The driver's message quotes the part that it cannot read, which may be the password."""
    with pytest.raises(InvalidInputError, match="cannot be read as a URL") as error:
        Ghost.open(url)
    assert "S3C" not in str(error.value)


SECRETS = ["S3C@R/ET:PW", "S3C%zzRET", "S3C?R@ET", "S3C@RET#PW", "S3C RET"]


@pytest.mark.parametrize("password", SECRETS)
@pytest.mark.parametrize(
    "words",
    [
        ("config", "show"),
        ("doctor",),
        ("get", "-n", "a:b", "k"),
        ("config", "set", "db", "{}"),
        ("migrate", "x.db", "{}"),
    ],
)
def test_a_password_with_signs_of_a_url_is_masked_whole(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch, password: str, words: tuple[str, ...]
) -> None:
    """Nothing of it is printed anywhere, whatever characters it holds."""
    url = f"postgresql://app:{password}@127.0.0.1:1/shop"
    monkeypatch.setenv("GHOST_DB", url)
    monkeypatch.setenv("GHOST_BUSY_TIMEOUT", "1")
    done = ghost_cli(*(word.format(url) for word in words))
    printed = done.out + done.err
    assert not [part for part in ("S3C", "R/ET", "PW", "zzR", "ET@", "RET") if part in printed], (
        printed
    )


def test_a_misspelt_setting_gets_a_suggestion(ghost_cli: "GhostCli") -> None:
    """Only a name that resembles none gets the whole list."""
    assert ghost_cli.fails(2, "config", "set", "embed_providr", "none")[1] == (
        "did you mean embed_provider?"
    )
    assert "the settings are: db, ns" in ghost_cli.fails(2, "config", "set", "zzz", "1")[1]
