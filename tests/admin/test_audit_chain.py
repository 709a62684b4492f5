"""The audit log as a chain: nothing in it can be changed unseen, and it holds no contents"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from ghostmem import Ghost, InvalidInputError
from ghostmem.caller import CALLER, Caller

OPEN = Callable[..., Ghost]


@pytest.fixture
def path(open_ghost: OPEN, tmp_path: Path) -> Path:
    """Return a store with a log in two namespaces, which took turns."""
    ghost = open_ghost()
    for number in range(5):
        ghost.put("a", f"k{number}", f"text {number}")
        ghost.put("b", f"k{number}", f"text {number}")
    ghost.rm("a", "k0")
    ghost.rm("a", "k1", hard=True)
    ghost.close()
    return tmp_path / "memory.db"


def sql(path: Path, *statements: str) -> None:
    """Change a store behind Ghost's back."""
    db = apsw.Connection(str(path))
    for statement in statements:
        db.execute(statement)
    db.close()


def test_a_log_that_nobody_touched_is_whole(ghost: Ghost) -> None:
    """Every verb that writes goes on with the chain: put, rm, restore, curate, tags, reflect, embed, undo, import."""
    assert ghost.admin.verify_log().head == ""
    for number in range(4):
        ghost.put("a", f"k{number}", f"text {number}", tags=["t"])
    ghost.put("b", "k", "text")
    ghost.put("a", "k0", "another text")
    ghost.rm("a", "k1")
    ghost.restore("a", "k1")
    ghost.curate("a", "k2", "promote")
    ghost.admin.rename_tag("t", "u")
    ghost.consolidate("a", "sum", "summary", ["k0", "k1"])
    ghost.reflect()
    ghost.admin.repair()
    ghost.rm("a", "k3", hard=True)
    ghost.admin.rm_namespace("b", hard=True)
    found = ghost.admin.verify_log()
    assert (found.ok, found.broken, found.unchained, len(found.head)) == (True, (), 0, 64)
    assert found.lines == len(ghost.admin.audit_log())


TAMPERED = {
    "changed": (["UPDATE changes SET op = 'put' WHERE ns_id = 1 AND seq = 6"], "a: line 6 was changed"),
    "actor": (["UPDATE changes SET actor = 'somebody' WHERE ns_id = 1 AND seq = 1"], "a: line 1 was changed"),
    "time": (["UPDATE changes SET at = '2020-01-01T00:00:00.000000Z' WHERE ns_id = 2 AND seq = 3"], "b: line 3 was changed"),
    "removed": (["DELETE FROM changes WHERE ns_id = 1 AND seq = 3"], "a: line 3 is missing"),
    "several": (["DELETE FROM changes WHERE ns_id = 1 AND seq IN (2, 3)"], "a: lines 2 to 3 are missing"),
    "first": (["DELETE FROM changes WHERE ns_id = 1 AND seq = 1"], "a: line 1 is missing"),
    "closed up": (
        ["DELETE FROM changes WHERE ns_id = 2 AND seq = 3",
         "UPDATE changes SET seq = seq - 1 WHERE ns_id = 2 AND seq = 4", "UPDATE changes SET seq = seq - 1 WHERE ns_id = 2 AND seq = 5"],
        "b: line 3 was changed",
    ),
    "inserted": (
        ["UPDATE changes SET seq = seq + 1 WHERE ns_id = 2 AND seq = 5",
         "INSERT INTO changes SELECT ns_id, 5, memory_id, op, at, actor, hash, line FROM changes WHERE ns_id = 2 AND seq = 4",
         "UPDATE namespaces SET sequence = 6 WHERE id = 2"],
        "b: line 5 was changed",
    ),
    "added": (
        ["INSERT INTO changes SELECT ns_id, 6, memory_id, op, at, actor, hash, 13 FROM changes WHERE ns_id = 2 AND seq = 5"],
        "b: line 6 was changed",
    ),
    "truncated": (["DELETE FROM changes WHERE ns_id = 1 AND seq > 5"], "a: cut off after line 5: there were 7"),
    "truncated with its count": (
        ["DELETE FROM changes WHERE ns_id = 1 AND seq > 5", "UPDATE namespaces SET sequence = 5 WHERE id = 1"],
        "a: line 5 is not the one the namespace ends with",
    ),
    "truncated with its head": (
        ["DELETE FROM changes WHERE ns_id = 2 AND seq > 3", "UPDATE namespaces SET sequence = 3,"
         " head = (SELECT hash FROM changes WHERE ns_id = 2 AND seq = 3) WHERE id = 2"],
        "line 8 of the whole log is missing",
    ),
    "swapped": (
        ["UPDATE changes SET seq = 99 WHERE ns_id = 1 AND seq = 2", "UPDATE changes SET seq = 2 WHERE ns_id = 1 AND seq = 3",
         "UPDATE changes SET seq = 3 WHERE ns_id = 1 AND seq = 99"],
        "a: line 2 was changed, inserted or moved",
    ),
    "hash taken away": (["UPDATE changes SET hash = NULL WHERE ns_id = 1 AND seq = 4"], "a: line 4 has lost its hash"),
    "namespace gone": (["DELETE FROM namespaces WHERE id = 2"], "(unknown): the namespace of these lines is missing"),
    "all of a namespace": (
        ["DELETE FROM changes WHERE ns_id = 2", "DELETE FROM memories WHERE ns = 'b'", "DELETE FROM namespaces WHERE id = 2"],
        "line 2 of the whole log is missing",
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", TAMPERED)
def test_tampering_is_found(open_ghost: OPEN, path: Path, how: str) -> None:
    """Whatever is changed, removed, inserted, moved or cut off, the first line that does not fit is named."""
    statements, said = TAMPERED[how]
    sql(path, *statements)
    found = open_ghost().admin.verify_log()
    assert not found.ok
    assert any(sentence.startswith(said) for sentence in found.broken), found.broken


def test_an_older_head_is_found_where_it_stood(open_ghost: OPEN) -> None:
    """A head noted at any time proves the lines up to it, in whichever namespace the later ones are."""
    ghost = open_ghost()
    heads = []
    for number in range(6):
        ghost.put("ab"[number % 2], f"k{number}", "text")
        heads.append(ghost.admin.verify_log().head)
    assert len(set(heads)) == 6
    ghost.rm("a", "k0", hard=True)
    ghost.admin.rm_namespace("b", hard=True)
    for number, head in enumerate(heads):
        found = ghost.admin.verify_log(head=head.upper())
        assert found.ok
        assert f"line {number + 1} of " in found.known
    assert "line 12 of 12" not in ghost.admin.verify_log(head=heads[0]).known


def test_a_rewritten_chain_is_found_by_a_head_kept_elsewhere(open_ghost: OPEN, path: Path) -> None:
    """Whoever writes the file can write a whole new chain; the head that was noted before never stood in it."""
    ghost = open_ghost()
    head = ghost.admin.verify_log().head
    ghost.close()
    path.unlink()
    with Ghost.open(path, embedder="none") as forged:
        forged.put("a", "k0", "text 0")
        assert forged.admin.verify_log().ok
        found = forged.admin.verify_log(head=head)
    assert not found.ok
    assert "was never in this log" in found.broken[0]


@pytest.mark.parametrize("head", ["", "abc", "x" * 64, "0" * 63])
def test_what_is_no_digest_is_refused(ghost: Ghost, head: str) -> None:
    """A head has 64 hexadecimal digits."""
    with pytest.raises(InvalidInputError, match="not a digest"):
        ghost.admin.verify_log(head=head)


def test_lines_from_before_the_chain_are_counted(open_ghost: OPEN, path: Path) -> None:
    """A store that was written by an older Ghost has lines without a hash; what comes behind is chained."""
    sql(path, "UPDATE changes SET hash = NULL, line = NULL", "UPDATE namespaces SET head = NULL")
    ghost = open_ghost()
    assert (
        ghost.admin.verify_log().ok,
        ghost.admin.verify_log().unchained,
        ghost.admin.verify_log().head,
    ) == (
        True,
        12,
        "",
    )
    ghost.put("b", "new", "text")
    found = ghost.admin.verify_log()
    assert (found.ok, found.lines, found.unchained, len(found.head)) == (True, 13, 12, 64)
    assert "line 13 of 13" in ghost.admin.verify_log(head=found.head).known


def test_the_log_holds_no_contents(open_ghost: OPEN, path: Path) -> None:
    """Ids, what, when and who: no key and no text."""
    ghost = open_ghost()
    ghost.put("a", "unmistakable-key", "unmistakable text", tags=["unmistakable-tag"])
    db = apsw.Connection(str(path))
    assert not [row for row in db.execute("SELECT * FROM changes") if "unmistakable" in str(row)]
    db.close()


def test_who_changed_what_is_listed(ghost: Ghost, clock: Any) -> None:
    """The log tells the caller by name, and the key while the memory is there."""
    ghost.put("a", "tea", "green")
    token = CALLER.set(Caller("laptop", (("*", "admin"),)))
    try:
        clock.forward(days=1)
        ghost.put("b", "pot", "blue")
    finally:
        CALLER.reset(token)
    ghost.put("a", "cup", "white")
    ghost.rm("a", "cup", hard=True)
    told = [(line.ns, line.actor, line.op, line.key) for line in ghost.admin.audit_log()]
    assert told == [
        ("a", "owner", "put", "tea"),
        ("b", "laptop", "put", "pot"),
        ("a", "owner", "put", None),
        ("a", "owner", "delete", None),
    ]
    assert [line.ns for line in ghost.admin.audit_log("b")] == ["b"]
    assert len(ghost.admin.audit_log(since="2026-03-15")) == 3
    assert [line.op for line in ghost.admin.audit_log(limit=1)] == ["delete"]


def test_copies_and_imports_have_whole_logs(open_ghost: OPEN, path: Path, tmp_path: Path) -> None:
    """A backup carries the log along; an import begins one of its own."""
    ghost = open_ghost()
    ghost.transfer.backup(tmp_path / "copy.db")
    lines = tmp_path / "export.jsonl"
    lines.write_text("".join(f"{line}\n" for line in ghost.export()), encoding="utf-8")
    copy = open_ghost("copy.db").admin.verify_log()
    assert (copy.ok, copy.head) == (True, ghost.admin.verify_log().head)
    other = open_ghost("other.db")
    with lines.open(encoding="utf-8") as stream:
        other.import_(stream)
    assert other.admin.verify_log().ok
    assert other.admin.verify_log().lines


WRITER = """
import sys
from ghostmem import Ghost
with Ghost.open(sys.argv[1], embedder="none") as ghost:
    for number in range(15):
        ghost.put("a", f"{sys.argv[2]}-{number}", "text")
        ghost.put(sys.argv[2], f"k{number}", "text")
"""


@pytest.mark.process
def test_several_processes_write_one_chain(open_ghost: OPEN, path: Path) -> None:
    """Writers that take turns leave chains and one order without a gap."""
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, path, name]) for name in ("x", "y", "z")
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    found = open_ghost().admin.verify_log()
    assert (found.ok, found.broken, found.lines) == (True, (), 12 + 3 * 30)
