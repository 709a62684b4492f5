"""A second process extracts every other file of a large project, and nothing depends on it"""

import sys
from pathlib import Path

import pytest

from ghostmem import Ghost
from ghostmem.outline.facts import Facts
from ghostmem.outline.languages.table import language_named
from ghostmem.outline.parse import content_digest, facts_of
from ghostmem.outline.project_graph import MIN_SHARED_FILES
from ghostmem.outline.worker import start_worker


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with enough files to be shared."""
    for number in range(MIN_SHARED_FILES + 1):
        text = (
            f"from m{number + 1} import f{number + 1}\n\n\ndef f{number}():\n    f{number + 1}()\n"
        )
        (tmp_path / f"m{number}.py").write_text(text, encoding="utf-8")
    return tmp_path


def outlined(root: Path) -> tuple[list[str], dict[str, object]]:
    """Return the calls in a project, and the statistics."""
    with Ghost.open(":memory:") as ghost:
        made = ghost.outline.project(root=root, depth=1, relations=["calls"], max_nodes=20_000)
    return made.text.splitlines()[:-1], made.data["stats"]


@pytest.mark.process
def test_the_same_with_and_without(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is that of one process, also when the second cannot run the program."""
    text, stats = outlined(project)
    assert stats["parsed"] == MIN_SHARED_FILES + 1
    assert len(text) > 2 * MIN_SHARED_FILES
    for executable in ("", "/nowhere/python", "/bin/false"):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "executable", executable)
            with (project / "m0.py").open("a", encoding="utf-8") as file:
                file.write("# another content, so that no graph is at hand\n")
            assert outlined(project) == (text, stats)


@pytest.mark.process
def test_files_come_with_facts_or_a_reason(tmp_path: Path) -> None:
    """Facts are those of this process; a file that must be left out has its reason, a missing one nothing."""
    good, bad = "def f(): ...\n", "/*\n" * 1000
    (tmp_path / "good.py").write_text(good, encoding="utf-8")
    (tmp_path / "bad.py").write_text(bad, encoding="utf-8")
    worker = start_worker("python", tmp_path, ["good.py", "gone.py", "bad.py"])
    assert worker is not None
    first, second = worker.results()
    worker.close()
    assert (first.path, first.digest) == ("good.py", content_digest("good.py", good.encode()))
    assert first.facts is not None
    expected = facts_of(language_named("python"), "good.py", good.encode())
    assert Facts.unpacked(first.facts) == Facts.unpacked(expected.packed())
    assert (second.path, second.facts) == ("bad.py", None)
    assert second.reason
    assert worker._process.poll() is not None
