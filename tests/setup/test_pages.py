"""The pages about clients: one each, and what they show is what is written"""

import re
from pathlib import Path

import pytest

from ghostmem.setup.clients import CLIENTS, located
from ghostmem.setup.entry import Launch
from ghostmem.setup.parts import SetupFile, with_parts

PAGES = Path(__file__).resolve().parent.parent.parent / "docs" / "clients"
HOW = Launch(("/home/you/.local/bin/ghost",))


def test_every_client_has_a_page_and_every_page_is_in_the_list() -> None:
    """And no page is about anything else; the list says what the table says."""
    assert {path.stem for path in PAGES.glob("*.md")} == {*CLIENTS, "index"}
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in index.splitlines() if "](" in line and " | " in line]
    assert rows == [
        [
            f"| {client.title}",
            f"[`{name}`]({name}.md)",
            "yes" if client.project else "no",
            "yes" if client.hooks else "no",
            "yes" if client.permission else "no",
            f"{client.checked} |",
        ]
        for name, client in CLIENTS.items()
    ]


@pytest.mark.parametrize("name", CLIENTS)
def test_a_page_says_what_there_is_to_know(name: str) -> None:
    """The entry is the one that is written, the events are those of the table, and so are the files and the options."""
    client = CLIENTS[name]
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [
        "Install",
        "What it writes",
        "Permissions",
        "Hooks",
        "Check",
        "Remove",
    ]
    assert f"\nStatus: {client.checked}" in text
    assert (
        with_parts("", SetupFile(client, "user", Path(), client.format, server=True), HOW) in text
    )
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == [
        event.name for event in (client.hooks.events if client.hooks else ())
    ]
    flags = (" --hooks" if client.hooks else "") + (" --allow" if client.permission else "")
    assert f"\nghost setup {name}{flags}\n" in text
    assert f"\nghost setup {name} --remove\n" in text
    assert located(client.user).name in text
    assert not client.project or f"`{client.project}`" in text
    assert ("--scope project" in text) == bool(client.project)
    assert (f"`ghost setup {name} --remove --allow`" in text) == (client.permission is not None)
