"""The pages about clients: one each, and what they show is what is written"""

import re
from pathlib import Path

import pytest

from ghostmem.setup.clients import CLIENTS
from ghostmem.setup.entry import Launch
from ghostmem.setup.parts import SetupFile, shown

PAGES = Path(__file__).resolve().parent.parent.parent / "docs" / "clients"
HOW = Launch(("/home/you/.local/bin/ghost",))


def test_every_client_has_a_page_and_every_page_is_in_the_list() -> None:
    """And no page is about anything else."""
    assert {path.stem for path in PAGES.glob("*.md")} == {*CLIENTS, "index"}
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    assert [name for name in CLIENTS if f"[`{name}`]({name}.md)" not in index] == []


@pytest.mark.parametrize("name", CLIENTS)
def test_a_page_says_what_there_is_to_know(name: str) -> None:
    """Install, first memory, hooks, undo; the entry is the one that is written, the events are those of the table."""
    client = CLIENTS[name]
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings == [
        "Install",
        "First memory",
        "What the hooks do",
        "Undo everything",
        "When something is wrong",
    ]
    assert shown(SetupFile(client, "user", Path(), client.format, server=True), HOW) in text
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == [
        event.name for event in (client.hooks.events if client.hooks else ())
    ]
    assert f"ghost setup {name} --remove\n" in text
    assert (f"ghost setup {name} --hooks\n" in text) == (client.hooks is not None)
