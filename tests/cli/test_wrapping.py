"""Text on a terminal: wrapped with its indent, scores with a bar and a legend; elsewhere as it is."""

import io
import re
import sys
from pathlib import Path

import pytest

from ghostmem import Ghost
from ghostmem.cli import main
from ghostmem.cli.output import bold
from ghostmem.cli.terminal import width_of, wrapped
from ghostmem.settings import Settings

LONG = (
    "The shop keeps money as integer cents, never as floats, because sums of floats are not exact."
)


def plain(text: str) -> str:
    """Return a text without styles."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.mark.parametrize("width", [30, 41, 60, 80, 100, 200])
@pytest.mark.parametrize("indent", ["", "  ", "    "])
def test_no_line_is_wider_than_the_terminal(width: int, indent: str) -> None:
    """Lines break at spaces, no word is lost, and what follows is indented."""
    lines = wrapped(indent + LONG, width).split("\n")
    assert all(width_of(line) <= width for line in lines)
    assert " ".join(line.strip() for line in lines) == LONG
    assert all(line.startswith(indent or "    ") for line in lines[1:])


def test_a_line_that_fits_is_unchanged() -> None:
    """Spaces inside and at the end stay; so do short lines between long ones."""
    table = "name    count  \n\n  tea       12\n"
    assert wrapped(table, 40) == table
    assert wrapped(LONG, 20) == LONG  # too narrow for wrapping to help


def test_words_are_not_broken_but_wide_characters_are() -> None:
    """A key or an address can be copied; text without spaces still fits."""
    address = "https://example.org/" + "a" * 60
    assert address in wrapped(f"see {address} for more", 40).split("\n")[1]
    lines = wrapped("    " + "茶" * 54, 40).split("\n")
    assert [width_of(line) for line in lines] == [40, 40, 40]
    assert "".join(line.strip() for line in lines) == "茶" * 54


def test_styles_take_no_space() -> None:
    """A styled text breaks where the plain one does."""
    styled = LONG.replace("cents", bold("cents")).replace("floats", bold("floats"))
    assert plain(wrapped(styled, 40)) == wrapped(LONG, 40)


class Screen(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def db(tmp_path: Path) -> str:
    """Return a store with two memories."""
    path = str(tmp_path / "memory.db")
    with Ghost.open(path, settings=Settings(embed_provider="none")) as ghost:
        ghost.put("a", "money", LONG)
        ghost.put("a", "sums", "Sums of money are rounded once, at the end.")
    return path


def shown(
    monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO], *args: str
) -> tuple[str, str]:
    """Run a command with these streams and return what it writes on them."""
    out, err = stream(), stream()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "none")
    assert main.run(list(args)) == 0
    return plain(out.getvalue()), plain(err.getvalue())


def test_a_search_on_a_terminal(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text is wrapped under its hit, the score has a bar, and a legend says what it is."""
    out, err = shown(
        monkeypatch, Screen, "--db", db, "search", "-n", "a", "sums of money", "--weak"
    )
    assert all(width_of(line) <= 60 for line in out.split("\n"))
    assert len(re.findall(r"^    \S", out, re.MULTILINE)) >= 3
    bars = re.findall(r"\d\.\d\d (█+░*)", out)
    assert len(bars) == 2
    assert bars[0] == "█" * 8
    assert bars[1].startswith("█")
    assert "score: how well a hit matches" in err


def test_explain_does_not_advertise_itself(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The legend names the option only where it was not given."""
    search = ("--db", db, "search", "-n", "a", "sums of money")
    assert "--explain shows" in shown(monkeypatch, Screen, *search)[1]
    assert "--explain shows" not in shown(monkeypatch, Screen, *search, "--explain")[1]


def test_pipes_and_json_are_as_they_were(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal nothing is wrapped and no bar is drawn; JSON is one line on a terminal too."""
    search = ("--db", db, "search", "-n", "a", "sums of money", "--weak")
    out, err = shown(monkeypatch, io.StringIO, *search)
    assert f"    {LONG}\n" in out
    assert "█" not in out
    assert "score" not in err
    out, _ = shown(monkeypatch, Screen, *search, "--json")
    assert all(line.startswith("{") and line.endswith("}") for line in out.splitlines())
    assert "█" not in out


def test_text_to_copy_is_not_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script for a shell is printed as it is, also on a terminal."""
    piped, _ = shown(monkeypatch, io.StringIO, "completion", "bash")
    on_terminal, _ = shown(monkeypatch, Screen, "completion", "bash")
    assert on_terminal == piped
