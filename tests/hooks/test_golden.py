"""What each host sends at each event, and what it gets back, in files: tests/hooks/golden"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from hooks.conftest import Hook

HERE = Path(__file__).parent / "golden"
TRANSCRIPTS = Path(__file__).parent.parent / "data" / "transcripts"
CASES = sorted(HERE.glob("*.json"))


def read(path: Path, shop: Path) -> dict[str, Any]:
    """Read a case with the folders of this run in the place of their names."""
    text = path.read_text(encoding="utf-8")
    for name, folder in (("{cwd}", shop), ("{transcripts}", TRANSCRIPTS)):
        text = text.replace(name, folder.as_posix())
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.mark.wide(keep=20)
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_host_gets_what_was_agreed(hook: "Hook", filled: Path, shop: Path, path: Path) -> None:
    """Standard output, the log and what is captured are those of the file, byte for byte where there is text."""
    case = read(path, shop)
    said = case["stdin"] if isinstance(case["stdin"], str) else json.dumps(case["stdin"])
    out = hook.raw(said, *case["args"])
    assert (json.loads(out) if out else None) == case["stdout"]
    assert out.count("\n") == (1 if out else 0)
    assert [line.split(": ", 1)[1] for line in hook.lines()] == case.get("log", [])
    with Ghost.open(filled, settings=Settings(embed_provider="none")) as ghost:
        made = ghost.list("project:shop", tags=["captured"])
    assert sorted(memory.content for memory in made) == case.get("captured", [])
    assert {memory.source_client for memory in made} <= {case.get("client")}
    assert {str(memory.source_kind) for memory in made} <= {"stated"}


def test_every_host_and_event_has_a_file() -> None:
    """No event of a host is without an example."""
    from ghostmem.hooks.hosts import HOSTS

    wanted = {f"{host.name}-{event}" for host in HOSTS.values() for event in host.events}
    assert wanted <= {path.stem.rsplit(".", 1)[0] for path in CASES}
