"""Every client's file, in every state that people have it in: what it is with Ghost in it, and that it comes back"""

from pathlib import Path

import pytest
import yaml

from ghostmem.errors import GhostError, InvalidInputError
from ghostmem.setup.formats import FORMATS
from ghostmem.setup.install import backup_of, install
from setup_golden import CASES, HERE, HOW, before, cases, expected, kinds, suffix, target

ALL = cases()


@pytest.fixture
def file(tmp_path: Path, kind: str, case: str) -> Path:
    """Return a file as somebody has it, or where it would be."""
    path = tmp_path / "folder" / f"file.{suffix(kind)}"
    raw = before(kind, case)
    if raw is not None:
        path.parent.mkdir()
        path.write_bytes(raw)
    return path


@pytest.mark.wide(keep=24)
@pytest.mark.parametrize(("kind", "case"), ALL)
def test_the_file_with_ghost_in_it_is_the_golden_one(file: Path, kind: str, case: str) -> None:
    """Or the error is; then nothing was changed, and nothing was left beside it."""
    raw = before(kind, case)
    after, error = expected(kind, case)
    if error:
        with pytest.raises(GhostError) as refused:
            install([target(kind, file)], HOW)
        assert f"{refused.value.message}\n{refused.value.hint}\n" == f"{file.parent}{error}"
        assert file.read_bytes() == raw
        assert list(file.parent.iterdir()) == [file]
        return
    done = install([target(kind, file)], HOW)[0]
    assert done.action == ("created" if raw is None else "updated")
    assert file.read_bytes() == after
    assert (backup_of(file).read_bytes() if raw is not None else None) == raw


@pytest.mark.wide(keep=24)
@pytest.mark.parametrize(("kind", "case"), [pair for pair in ALL if not expected(*pair)[1]])
def test_the_second_run_changes_nothing_and_remove_gives_the_original_back(
    file: Path, kind: str, case: str, tmp_path: Path
) -> None:
    """To the byte; a file and a folder that were not there are gone again."""
    raw = before(kind, case)
    install([target(kind, file)], HOW)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    assert install([target(kind, file)], HOW)[0].action == "unchanged"
    assert {
        path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()
    } == times
    assert install([target(kind, file)], None)[0].action == (
        "deleted" if raw is None else "updated"
    )
    if raw is None:
        assert not file.parent.exists()
    else:
        assert file.read_bytes() == raw
        assert list(file.parent.iterdir()) == [file]
    assert install([target(kind, file)], None)[0].action == "unchanged"


@pytest.mark.wide(keep=24)
@pytest.mark.parametrize(("kind", "case"), [pair for pair in ALL if not expected(*pair)[1]])
def test_without_the_backup_only_our_parts_go(file: Path, kind: str, case: str) -> None:
    """Everything else means what it meant, and what has lines of its own is the same to the byte."""
    raw = before(kind, case)
    install([target(kind, file)], HOW)
    backup_of(file).unlink(missing_ok=True)
    if (kind, case) == ("continue", "commented"):
        # ruamel.yaml cannot write an empty list after a comment: the file stays, with an error
        with pytest.raises(InvalidInputError, match="nothing was changed"):
            install([target(kind, file)], None)
        return
    install([target(kind, file)], None)
    if raw is None:
        assert not file.exists()
        return
    form = FORMATS[target(kind, file).format]
    assert (form.load(file.read_text(encoding="utf-8")) or {}) == (form.load(raw.decode()) or {})
    if case == "rich":
        assert file.read_bytes() == raw


@pytest.mark.parametrize("case", [case for case in CASES if not expected("goose", case)[1]])
def test_a_yaml_reader_reads_what_we_wrote(case: str) -> None:
    """And finds everything that was there before."""
    old = yaml.safe_load(before("goose", case) or b"") or {}
    new = yaml.safe_load(expected("goose", case)[0] or b"")
    ours = new["extensions"].pop("ghost")
    assert (ours["type"], ours["cmd"], ours["args"], ours["enabled"]) == (
        "stdio",
        "/opt/ghost/bin/ghost",
        ["mcp"],
        True,
    )
    assert {key: value for key, value in new.items() if value != {}} == old


def test_no_golden_file_is_without_a_case() -> None:
    """Each folder is a file of a client, each file a case."""
    assert {path.name for path in HERE.iterdir() if path.is_dir()} == set(kinds())
    assert {path.name.split(".")[0] for path in HERE.glob("*/*")} == set(CASES)
