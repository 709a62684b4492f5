"""Mirrors: a namespace and a markdown folder that are kept equal in both directions"""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conftest import Clock
from ghostmem import Ghost
from ghostmem.notes.mirror import LAYOUTS
from ghostmem.notes.mirrors import units
from ghostmem.notes.mirrors.units import UnitEdit, strip_blank_lines
from ghostmem.notes.scan import scan
from ghostmem.settings import Settings

NS = "a"
HOSTILE_KEYS = [
    "plain", "a/b", "a\\b", "..", ".", ".env", "index", "Index", "con", "COM1.txt", "nul ", "a:b", "C #", "##", "#", "a ## b ##", "100%",
    "50%41", "%25", "%", " pad ", "trailing.", "tab? <x>|*\"", "Tea", "tea", "TEA", "é", "e\u0301", "x" * 512, "日本語" * 100,
    "\u3000wide", "- item", "[x](y)", "---", "topic: x", "'quoted'", '"double"', "a # b", "\\## x", "```", "~hash", "_preamble",
]  # fmt: skip
HOSTILE_TEXTS = [
    "plain", "a\n\nb", "## x", "text\n## x\n### y\n# z", "```\nopen", "```\n## in\n```", "````\n```\nopen", "~~~\n```\n~~~", "\\## x", "\\\\```\n\\~~~",
    "---\na: b\n---\ntext", "---", "a\r\nb", "a\r\nb\r\n", "a\rb", "a\r", "\r\na\nb", "\n\n  first\nlast  \n \n", "\ufeffmark", "   ## x\n    ## y",
    "- ```\n  ## x\n  ```", "##\n## ##\n##x", "x" * 100_000, "``` `not a fence\n## x", "a\x85b\u2028c\x0bd", "```\ncode\n```", "#tag", "<!-- x -->",
    "Setext\n---\n\nmore\n===", "```\r\n## x\r\n```\r\nend", "  ```\n## x\n", "\t## tab\n \t```",
]  # fmt: skip

layouts = pytest.mark.parametrize("layout", LAYOUTS)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look twice at once."""
    monkeypatch.setattr("ghostmem.notes.mirror.MISSING_SECONDS", 0.0)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return the folder that is mirrored."""
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


@pytest.fixture
def store(open_ghost: Callable[..., Ghost]) -> Ghost:
    """Return a store in a file."""
    return open_ghost()


def home(root: Path, layout: str) -> Path:
    """Return where the units lie."""
    return LAYOUTS[layout].home(root)


def file_of(root: Path, layout: str, key: str) -> Path:
    """Return the file that a key's unit stands in."""
    shape = LAYOUTS[layout]
    for path in sorted(scan(home(root, layout), shape).files):
        raw = (home(root, layout) / path).read_bytes().decode().removeprefix("\ufeff")
        if key in [unit.key for unit in shape.units(path, raw)]:
            return home(root, layout) / path
    raise LookupError(key)


def folder(root: Path, layout: str) -> dict[str, str]:
    """Return what the folder says, by key."""
    shape, found = LAYOUTS[layout], {}
    for path in sorted(scan(home(root, layout), shape).files):
        raw = (home(root, layout) / path).read_bytes().decode().removeprefix("\ufeff")
        found |= {unit.key: unit.text for unit in shape.units(path, raw)}
    return found


def memories(ghost: Ghost) -> dict[str, str]:
    """Return what the store says, by key."""
    return {one.key: strip_blank_lines(one.content) for one in ghost.list(NS, limit=10_000)}


def replace(path: Path, old: str, new: str) -> None:
    """Edit a file as a person does."""
    raw = path.read_bytes()
    assert old.encode() in raw
    path.write_bytes(raw.replace(old.encode(), new.encode()))


def traces(ghost: Ghost, root: Path) -> object:
    """Return everything that a write anywhere would change."""
    files = {
        str(path): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
    folders = {
        str(path): path.stat().st_mtime_ns for path in sorted(root.rglob("*")) if path.is_dir()
    }
    with ghost.store.engine.read() as tx:
        return (
            files,
            folders,
            tx.db.execute("PRAGMA data_version").get
            if ghost.store.engine.file
            else tx.journal.heads(),  # type: ignore[attr-defined]
            list(tx.db.execute("SELECT * FROM mirror_items")),  # type: ignore[attr-defined]
            list(tx.db.execute("SELECT * FROM memories")),  # type: ignore[attr-defined]
        )


# --- names and texts


@given(
    st.text(min_size=1, max_size=512).filter(
        lambda key: key.strip() and min(key) >= " " and "\x7f" not in key
    )
)
@example("%41")
@example("a #")
def test_every_key_comes_back_from_a_name(key: str) -> None:
    """A heading and a field give the key back; so does a file's name that is not too long."""
    if any("\ud800" <= char <= "\udfff" for char in key):
        return
    assert units.of_heading(units.heading(key)) == key
    assert units.of_line(units.line(key)) == key
    stem = units.stem(key, {"index"})
    assert len(stem.encode()) <= 128
    assert "/" not in stem
    assert stem not in (".", "..")
    assert stem == stem.strip()
    assert units.of_line(stem) == key or "~" in stem


@pytest.mark.parametrize(
    "key", ["user-timezone", "Deploy on Fridays?", "C#", "100% sure", "日本語", "a.b_c (d)", "50%"]
)
def test_a_plain_key_stays_readable(key: str) -> None:
    """What is safe is not escaped."""
    assert units.heading(key) == key
    assert units.stem(key, set()) == key.replace("?", "%3F")


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@layouts
def test_every_text_comes_back(layout: str, eol: str, text: str) -> None:
    """Written into a new file, or over what somebody wrote there, a text is read back as it was, and its neighbours too."""
    from ghostmem.notes.mirrors.units import NO_FILE, _apply

    shape, clock = LAYOUTS[layout], Clock()
    change = UnitEdit("k", strip_blank_lines(text), (), clock())
    before = (
        ["", "---", "x: y", "---", "", "old", "text", ""]
        if layout == "topics"
        else ["# Top", "", "## one", "", "1", "", "## k", "", "old", "", "## two", "", "2", ""]
    )
    for raw in (
        "",
        eol.join(before).lstrip("\r\n"),
        eol.join(before[:-1]).lstrip("\r\n"),
        eol.join(["old", "text", ""]) if layout == "topics" else "## k",
    ):
        path = "k.mdk" if layout == "topics" else "MEMORY.md"
        file = NO_FILE._replace(text=raw, units=tuple(shape.units(path, raw)))
        done, failed = _apply(shape, path, file, [change])
        assert not failed
        units = {unit.key: unit.text for unit in shape.units(path, done)}
        assert units == {unit.key: unit.text for unit in file.units} | {
            "k": strip_blank_lines(text)
        }


@given(
    st.lists(
        st.sampled_from(
            "## x|```|~~~~|````|\\|\r|\n|\n\n| |    |text|`|#|- |```js|---\n".split("|")
        ),
        max_size=14,
    )
)
def test_any_text_comes_back_from_a_section(parts: list[str]) -> None:
    """Whatever a text is made of, its section ends where it ends."""
    text, shape = strip_blank_lines("".join(parts)), LAYOUTS["daily"]
    if not text.strip():
        return
    at = Clock()()
    raw = shape.edit(
        "MEMORY.md",
        "## first\n\n```\ncode\n```\n",
        [UnitEdit("k", text, (), at), UnitEdit("l", "```\n## z\n```", (), at)],
        False,
    )
    assert [(unit.key, unit.text) for unit in shape.units("MEMORY.md", raw)] == [
        ("first", "```\ncode\n```"),
        ("k", text),
        ("l", "```\n## z\n```"),
    ]


@layouts
def test_hostile_keys_and_texts_survive_two_stores(
    open_ghost: Callable[..., Ghost], root: Path, layout: str
) -> None:
    """Every key and text goes out and comes back; a second store that reads the folder changes no byte of it."""
    ghost, other = open_ghost(), open_ghost("other.db")
    for number, key in enumerate(HOSTILE_KEYS):
        ghost.put(
            NS,
            key,
            HOSTILE_TEXTS[number % len(HOSTILE_TEXTS)],
            tags=["x: y", "Two words"][: number % 3],
        )
    for number, text in enumerate(HOSTILE_TEXTS):
        ghost.put(NS, f"text {number}", text, kind="semantic")
    ghost.notes.mirror(root, NS, layout=layout)
    assert folder(root, layout) == memories(ghost)
    before = traces(ghost, root)
    assert not ghost.notes.mirror(root, NS).is_changed
    assert traces(ghost, root) == before
    report = other.notes.mirror(root, NS)
    assert (report.to_store, report.to_folder, report.conflicts) == (len(memories(ghost)), 0, [])
    assert memories(other) == memories(ghost)
    assert traces(ghost, root) == before


@layouts
def test_a_second_store_writes_the_same_bytes_elsewhere(
    open_ghost: Callable[..., Ghost], root: Path, tmp_path: Path, layout: str
) -> None:
    """Mirrored in and out again into an empty folder, the files are the same."""
    ghost, other = open_ghost(), open_ghost("other.db")
    for number, key in enumerate(["tea", "pot", "a/b", "Tea"]):
        ghost.put(
            NS,
            key,
            f"Text {number}. More.\n\n## x",
            tags=["t"],
            kind=["semantic", "episodic"][number % 2],
            created_at="2026-01-0" + str(number + 1),
        )
    ghost.notes.mirror(root, NS, layout=layout)
    other.notes.mirror(root, NS)
    other.notes.mirror(tmp_path / "again", NS, layout=layout)
    old = {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    new = {
        path.relative_to(tmp_path / "again"): path.read_bytes()
        for path in (tmp_path / "again").rglob("*")
        if path.is_file()
    }
    assert new == old


# --- one side changed


def test_the_files_of_both_layouts(store: Ghost, root: Path, tmp_path: Path) -> None:
    """The formats that are promised."""
    store.put(NS, "tea", "# Tea\n\nGreen tea. It is hot.", tags=["drink", "x: y"], kind="episodic")
    store.put(NS, "rule", "Never boil.", tier="ltm")
    store.notes.mirror(root, NS, layout="topics")
    store.notes.mirror(tmp_path / "days", NS, layout="daily")
    assert (root / ".ai-knowledge" / "tea.mdk").read_text() == (
        "---\ntopic: tea\ntags:\n  - drink\n  - 'x: y'\nlast_updated: 2026-03-14T09:26:53Z\n---\n\n# Tea\n\nGreen tea. It is hot.\n"
    )
    assert (root / ".ai-knowledge" / "index.mdk").read_text() == (
        "## Specialized Knowledge\n\n### rule\n\nNever boil.\n\n### tea\n\nGreen tea.\n"
    )
    assert (tmp_path / "days" / "MEMORY.md").read_text() == "## rule\n\nNever boil.\n"
    assert (
        tmp_path / "days" / "memory" / "2026-03-14.md"
    ).read_text() == "## tea\n\n# Tea\n\nGreen tea. It is hot.\n"


@layouts
def test_an_edit_in_the_folder_is_a_new_version(store: Ghost, root: Path, layout: str) -> None:
    """A folder's edit keeps everything of the memory but its text, and names the file."""
    store.put(
        NS,
        "tea",
        "Green tea.",
        tags=["drink"],
        source_kind="stated",
        importance=0.9,
        files=["x.py"],
    )
    store.notes.mirror(root, NS, layout=layout)
    path = file_of(root, layout, "tea")
    replace(path, "Green tea.", "Black tea.")
    assert store.notes.mirror(root, NS).to_store == 1
    memory = store.get(NS, "tea")
    assert (memory.content, memory.version, memory.tags) == ("Black tea.", 2, ("drink",))
    assert (memory.source_kind, memory.importance) == ("stated", 0.9)
    assert {file.path for file in store.history(NS, "tea")[-1].files} >= {"x.py", str(path)}


@layouts
def test_a_renamed_unit_takes_its_memory_along(store: Ghost, root: Path, layout: str) -> None:
    """Another heading or topic with the same text is the same memory under another key, with what is known of it."""
    store.put(NS, "tea", "Green tea.", importance=0.9, tags=["drink"])
    store.put(NS, "again", "green tea", dedup=True)
    store.put(NS, "pot", "A pot.")
    store.edge(NS, "pot", "tea", "depends_on")
    store.notes.mirror(root, NS, layout=layout)
    path = file_of(root, layout, "tea")
    replace(
        path,
        "topic: tea" if layout == "topics" else "## tea",
        "topic: leaf" if layout == "topics" else "## leaf",
    )
    store.notes.mirror(root, NS)
    assert folder(root, layout) == memories(store) == {"leaf": "Green tea.", "pot": "A pot."}
    assert (store.get(NS, "leaf").importance, store.get(NS, "leaf").tags) == (0.9, ("drink",))
    assert store.get(NS, "leaf").aliases == ("green tea",)
    leaf = store.get(NS, "leaf").id
    with store.store.engine.read() as tx:
        assert [edge.rel for edge in tx.graph.edges(leaf)] == ["depends_on"]


# --- both sides changed


# --- what is not believed, not mirrored, not accepted


@layouts
def test_a_save_in_two_steps_is_no_removal(
    store: Ghost, root: Path, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is away for a moment, as while an editor saves it, is no removal."""
    store.put(NS, "tea", "Green tea.", kind="episodic")
    store.put(NS, "pot", "A pot.", kind="semantic")
    store.notes.mirror(root, NS, layout=layout)
    path = file_of(root, layout, "tea")
    raw = path.read_bytes()
    path.unlink()
    naps: list[float] = []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        path.write_bytes(raw.replace(b"Green", b"White"))

    monkeypatch.setattr("ghostmem.notes.mirror.MISSING_SECONDS", 0.5)
    monkeypatch.setattr("ghostmem.notes.mirror.time.sleep", nap)
    report = store.notes.mirror(root, NS)
    assert naps == [0.5]
    assert (report.removed_from_store, report.to_store) == (0, 1)


@pytest.mark.may_skip
@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind here")
@layouts
def test_an_unreadable_folder_is_unavailable(store: Ghost, root: Path, layout: str) -> None:
    """A folder without permission is said to be unavailable."""
    store.put(NS, "tea", "Green tea.")
    store.notes.mirror(root, NS, layout=layout)
    home(root, layout).chmod(0)
    try:
        assert "cannot be read" in store.notes.mirror(root, NS, layout=layout).unavailable
    finally:
        home(root, layout).chmod(0o755)


@layouts
def test_a_file_that_cannot_be_read_is_left_alone(store: Ghost, root: Path, layout: str) -> None:
    """A file that is not UTF-8, or a link, is neither changed nor taken for a removal, and the report names it."""
    store.put(NS, "tea", "Green tea.", kind="semantic")
    store.notes.mirror(root, NS, layout=layout)
    path = file_of(root, layout, "tea")
    raw = path.read_bytes()
    path.write_bytes(raw + b"\xff\xfe")
    store.put(NS, "tea", "White tea.")
    report = store.notes.mirror(root, NS)
    assert [(one.path, one.reason) for one in report.pending] == [(path.name, "is not UTF-8")]
    assert path.read_bytes() == raw + b"\xff\xfe"
    path.unlink()
    path.symlink_to(root / "elsewhere")
    report = store.notes.mirror(root, NS)
    assert "link" in report.pending[0].reason
    path.unlink()
    path.write_bytes(raw)
    assert store.notes.mirror(root, NS).to_folder == 1


@layouts
def test_a_text_that_is_too_long_is_pending(
    open_ghost: Callable[..., Ghost], root: Path, layout: str
) -> None:
    """What the store does not accept stays in the folder, and the report says why."""
    ghost = open_ghost(max_content_bytes=100)
    ghost.put(NS, "tea", "Green tea.")
    ghost.notes.mirror(root, NS, layout=layout)
    replace(file_of(root, layout, "tea"), "Green tea.", "x" * 200)
    report = ghost.notes.mirror(root, NS)
    assert "200 bytes" in report.pending[0].reason
    assert memories(ghost) == {"tea": "Green tea."}


@layouts
def test_a_conflict_that_cannot_be_kept_is_not_written_over(
    open_ghost: Callable[..., Ghost], root: Path, layout: str
) -> None:
    """The folder's text of a locked memory stays where it is as long as the store cannot keep it."""
    ghost = open_ghost(max_content_bytes=100)
    ghost.put(NS, "tea", "Green tea.", tags=["locked"])
    ghost.notes.mirror(root, NS, layout=layout)
    replace(file_of(root, layout, "tea"), "Green tea.", "x" * 200)
    assert "200 bytes" in ghost.notes.mirror(root, NS).pending[0].reason
    assert folder(root, layout) == {"tea": "x" * 200}


@layouts
def test_a_dry_run_writes_nothing(store: Ghost, root: Path, layout: str) -> None:
    """What would be done is counted, and nothing is."""
    store.put(NS, "tea", "Green tea.")
    before = traces(store, root)
    assert store.notes.mirror(root, NS, layout=layout, dry_run=True).to_folder == 1
    assert traces(store, root) == before
    store.notes.mirror(root, NS, layout=layout)
    replace(file_of(root, layout, "tea"), "Green", "White")
    store.put(NS, "tea", "Black tea.")
    before = traces(store, root)
    report = store.notes.mirror(root, NS, dry_run=True)
    assert (report.to_store, len(report.conflicts)) == (1, 1)
    assert traces(store, root) == before


@layouts
def test_an_edit_while_it_runs_is_pending(
    store: Ghost, root: Path, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that a person saves between reading and writing keeps the person's text; the next run sorts it out."""
    import ghostmem.notes.mirror as mirror_run

    store.put(NS, "tea", "Green tea.")
    store.notes.mirror(root, NS, layout=layout)
    path = file_of(root, layout, "tea")
    store.put(NS, "tea", "Black tea.")
    real = mirror_run.edit_file

    def late(*args: object) -> dict[str, str]:
        replace(path, "Green", "White")
        return real(*args)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(mirror_run, "edit_file", late)
        report = store.notes.mirror(root, NS)
    assert [(one.key, one.path) for one in report.pending] == [
        ("tea", str(path.relative_to(home(root, layout))))
    ]
    assert "White tea." in path.read_text()
    store.notes.mirror(root, NS)
    assert (
        sorted(memories(store).values())
        == sorted(folder(root, layout).values())
        == ["Black tea.", "White tea."]
    )


# --- the index of topics


def test_topics_and_the_tools_see_the_same(store: Ghost, root: Path, clock: Clock) -> None:
    """A topic that the knowledge tools write is mirrored, and they read what the mirror writes."""
    from ghostmem.notes.knowledge import (
        list_memories,
        memorize_new_topic,
        recall_memory,
        refine_memory,
    )

    memorize_new_topic(root, "auth", ["Security"], "How one logs in.", "# Auth\n\nTokens.", clock())
    store.put(NS, "tea", "Green tea.", tags=["drink"])
    store.notes.mirror(root, NS)
    assert (store.get(NS, "auth").content, store.get(NS, "auth").tags) == (
        "# Auth\n\nTokens.",
        ("Security",),
    )
    assert list_memories(root) == "auth, tea"
    assert "**Tags:** drink" in recall_memory(root, "tea")
    refine_memory(root, "auth", new_content="Cookies.", now=clock())
    store.notes.mirror(root, NS)
    assert store.get(NS, "auth").content == "Cookies."
    assert "How one logs in." in (root / ".ai-knowledge" / "index.mdk").read_text()


# --- other processes

CHILD = """
import os, signal, sys
from contextlib import contextmanager
from ghostmem import Ghost
from ghostmem.store.sqlite import SqliteEngine
from ghostmem.settings import Settings
import ghostmem.notes.mirror as verb

store, root, layout, rounds, last = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
verb.MISSING_SECONDS, verb.KEYS_PER_LOCK, steps = 0.0, 5, 0

def step():
    global steps
    steps += 1
    if steps == last:
        os.kill(os.getpid(), signal.SIGKILL)

def counted(real):
    def call(*args):
        step()
        real(*args)
        step()
    return call

def counted_writes(real):
    @contextmanager
    def write(self, **kwargs):
        with real(self, **kwargs) as tx:
            yield tx
            step()
        step()
    return write

with Ghost.open(store, settings=Settings(embed_provider="none", synchronous="normal")) as ghost:
    if last:
        os.replace = counted(os.replace)
        os.unlink = counted(os.unlink)
        SqliteEngine.write = counted_writes(SqliteEngine.write)
    for _ in range(rounds):
        ghost.notes.mirror(root, "a", layout=layout)
print(steps)
"""


def start(
    store: Path, root: Path, layout: str, rounds: int = 1, kill_at: int = 0
) -> "subprocess.Popen[bytes]":
    """Mirror in another process, which kills itself at a step."""
    words = [str(store), str(root), layout, str(rounds), str(kill_at)]
    return subprocess.Popen([sys.executable, "-c", CHILD, *words], stdout=subprocess.PIPE)


def prepared(path: Path, root: Path, layout: str) -> tuple[dict[str, str], set[str]]:
    """Make a store and a folder with changes of every sort to be mirrored; return what was agreed on and all texts since."""
    with Ghost.open(path, settings=Settings(embed_provider="none", synchronous="normal")) as ghost:
        for number in range(24):
            ghost.put(
                NS,
                f"k{number:02}",
                f"text {number}",
                kind=["semantic", "episodic"][number % 2],
                tags=["locked"] if number == 5 else [],
            )
        ghost.notes.mirror(root, NS, layout=layout)
        agreed = memories(ghost)
        for number in (0, 1, 2, 3, 4, 5):
            replace(
                file_of(root, layout, f"k{number:02}"), f"text {number}\n", f"folder {number}\n"
            )
        for number in (3, 4, 10, 11, 12):
            ghost.put(NS, f"k{number:02}", f"store {number}")
        for number in (20, 21):
            ghost.rm(NS, f"k{number:02}")
        for number in range(30, 36):
            ghost.put(NS, f"k{number:02}", f"new {number}")
        return agreed, {*memories(ghost).values(), *folder(root, layout).values()} - {
            "text 20",
            "text 21",
        }


def changed(texts: set[str], agreed: dict[str, str]) -> set[str]:
    """Return the texts that somebody wrote since both sides agreed."""
    return texts - set(agreed.values())


def die_and_recover(folder_: Path, layout: str, kill_at: int) -> bool:
    """Kill a run at a step and let another one finish; say whether the run was still at it."""
    root, path = folder_ / "folder", folder_ / "memory.db"
    root.mkdir(parents=True)
    agreed, texts = prepared(path, root, layout)
    child = start(path, root, layout, kill_at=kill_at)
    child.communicate(timeout=60)
    assert child.returncode in (0, -signal.SIGKILL)
    with Ghost.open(path, settings=Settings(embed_provider="none", synchronous="normal")) as ghost:
        ghost.notes.mirror(root, NS)
        assert not ghost.notes.mirror(root, NS).is_changed
        assert memories(ghost) == folder(root, layout)
        assert changed(texts, agreed) <= set(memories(ghost).values())
        assert (
            len(set(memories(ghost).values())) == len(memories(ghost)) == 24 - 2 + 6 + 3
        )  # nothing lost, nothing twice
        assert not [left for left in root.rglob("*.tmp") if child.returncode == 0]
        assert ghost.admin.check().problems == ()
        if layout == "topics":
            index = (root / ".ai-knowledge" / "index.mdk").read_text()
            listed = [
                line.removeprefix("### ") for line in index.splitlines() if line.startswith("### ")
            ]
            assert sorted(listed) == sorted(
                file.stem for file in (root / ".ai-knowledge").glob("*.mdk") if file.stem != "index"
            )
    return child.returncode != 0


on_unix = pytest.mark.skipif(sys.platform == "win32", reason="kills are those of Unix")


@pytest.mark.process
@pytest.mark.may_skip
@on_unix
@layouts
def test_killed_at_some_moments(tmp_path: Path, layout: str) -> None:
    """A run that is killed leaves a state from which the next one comes to the end, with every text."""
    chance = random.Random(layout)
    for step in (1, 2, *chance.sample(range(3, 25), 4)):
        die_and_recover(tmp_path / str(step), layout, step)


@pytest.mark.may_skip
@pytest.mark.slow
@on_unix
@layouts
def test_killed_at_every_moment(tmp_path: Path, layout: str) -> None:
    """The same at every step there is."""
    step = 1
    while die_and_recover(tmp_path / str(step), layout, step):
        step += 1
    assert step > 20


@pytest.mark.process
@layouts
def test_several_processes_at_once(tmp_path: Path, layout: str) -> None:
    """Processes that mirror the same pair at once come to one end, and no conflict is kept twice."""
    root, path = tmp_path / "folder", tmp_path / "memory.db"
    root.mkdir()
    agreed, texts = prepared(path, root, layout)
    children = [start(path, root, layout, 2) for _ in range(3)]
    assert [child.wait(60) for child in children] == [0, 0, 0]
    for child in children:
        assert child.stdout is not None
        child.stdout.close()
    with Ghost.open(path, settings=Settings(embed_provider="none")) as ghost:
        assert not ghost.notes.mirror(root, NS).is_changed
        assert memories(ghost) == folder(root, layout)
        assert changed(texts, agreed) <= set(memories(ghost).values())
        assert sorted(memories(ghost).values()) == sorted(set(memories(ghost).values()))
        assert len(memories(ghost)) == 24 - 2 + 6 + 3
