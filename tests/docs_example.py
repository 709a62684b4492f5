"""Examples in docs/adapters.md that need a library: each adapter's tests run their own."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parent.parent / "docs" / "adapters.md"


def run_example(
    heading: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run the example under a heading in a folder; it must print what is written under it."""
    part = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    code, printed = re.findall(r"```py\n(.*?)```\n\n```text\n(.*?)```\n", part, re.DOTALL)[0]
    monkeypatch.chdir(folder)
    capsys.readouterr()
    names: dict[str, object] = {}
    exec(compile(code, heading, "exec"), names)
    assert capsys.readouterr().out == printed
