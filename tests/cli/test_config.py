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
