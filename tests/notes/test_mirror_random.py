"""Mirrors under two-sided edits at random: both sides end up equal, and no text that somebody wrote is lost"""

import random
from pathlib import Path

import pytest

from conftest import Clock
from ghostmem import Ghost
from ghostmem.notes.mirror import LAYOUTS
from ghostmem.notes.mirrors.units import Unit, UnitEdit, read_folder, strip_blank_lines
from ghostmem.settings import Settings

NS = "a"
KEYS = [
    "tea",
    "Tea",
    "a/b",
    "..",
    "index",
    "con",
    ".env",
    "C #",
    "100%",
    "50%41",
    " pad ",
    "x" * 400,
    "日本/語",
    "a:b",
    "é",
    "e\u0301",
]
TEXTS = [
    "plain text",
    "two\n\nparagraphs",
    "# Title\n\n## Not a section\n\ntext",
    "```\nnever closed",
    "```\n## in code\n```\nafter",
    "~~~~\n```\nopen twice",
    "\\## escaped before\n\\```\n\\\\~~~",
    "---\ntopic: other\n---\nbody",
    "a\r\nb\r\nc",
    "a\rb\nc\r",
    "\n\n  indented first\nlast  \n\n",
    "\ufeffmark",
    "   ## indented\n    ## code",
    "- list\n  ```\n  ## in list\n  ```",
    "### deeper\n## ##\n##\n##x",
    "long " * 4000,
    "<!-- comment -->\n> quote\n---\n***",
]


class World:
    """A store, a folder that a person edits, and what both said when they last agreed."""

    def __init__(self, path: Path, layout: str, seed: int) -> None:
        self.random, self.shape, self.count = random.Random(seed), LAYOUTS[layout], 0
        path.mkdir(parents=True)
        self.root = path / "folder"
        self.root.mkdir()
        self.home = self.shape.home(self.root)
        self.clock = Clock()
        settings = Settings(embed_provider="none", synchronous="normal")
        self.ghost = Ghost.open(path / "memory.db", settings=settings, clock=self.clock)
        self.agreed: dict[str, str] = {}

    def text(self) -> str:
        """Return a text that nobody wrote before."""
        self.count += 1
        base = self.random.choice(TEXTS)
        return f"{base} {self.count}" if self.random.random() < 0.5 else f"{self.count} {base}"

    def store(self) -> dict[str, str]:
        """Return what the store says, by key."""
        return {one.key: strip_blank_lines(one.content) for one in self.ghost.list(NS, limit=1000)}

    def units(self) -> list[Unit]:
        """Return what stands in the folder."""
        return [
            unit
            for file in read_folder(self.home, self.shape, {}).files.values()
            for unit in file.units
        ]

    def folder(self) -> dict[str, str]:
        """Return what the folder says, by key."""
        return {unit.key: unit.text for unit in self.units()}

    # --- what an agent does

    def put(self) -> None:
        """Write a memory, new or not."""
        kind = self.random.choice(["semantic", "episodic"])
        tags = self.random.sample(["red", "Blue", "green tea"], self.random.randrange(3))
        self.ghost.put(NS, self.random.choice(KEYS), self.text(), kind=kind, tags=tags)

    def edit_memory(self) -> None:
        """Write another version."""
        if known := sorted(self.store()):
            self.ghost.put(NS, self.random.choice(known), self.text())

    def rm(self) -> None:
        """Remove a memory."""
        if known := sorted(self.store()):
            self.ghost.rm(NS, self.random.choice(known))

    def move_memory(self) -> None:
        """Write a memory under another key, and remove it under the first."""
        if known := sorted(self.store()):
            key = self.random.choice(known)
            text = self.ghost.get(NS, key).content
            self.ghost.rm(NS, key)
            if (new := f"moved {self.count}") not in self.store():
                self.ghost.put(NS, new, text)

    # --- what a person does

    def rewrite(self, path: str, text: str) -> None:
        """Save a file as an editor does."""
        target = self.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if text:
            target.write_bytes(text.encode())
        else:
            target.unlink(missing_ok=True)

    def raw(self, path: str) -> str:
        """Return a file as it is."""
        target = self.home / path
        return target.read_bytes().decode() if target.exists() else ""

    def choose(self) -> Unit | None:
        """Return some unit."""
        found = self.units()
        return self.random.choice(found) if found else None

    def edit_unit(self) -> None:
        """UnitEdit the text of a unit."""
        if unit := self.choose():
            text = strip_blank_lines(self.text())
            for strict in (False, True):
                new = self.shape.edit(
                    unit.path,
                    self.raw(unit.path).removeprefix("\ufeff"),
                    [UnitEdit(unit.key, text, unit.tags, self.clock())],
                    strict,
                )
                if text in [one.text for one in self.shape.units(unit.path, new)]:
                    break
            self.rewrite(unit.path, new)

    def delete_unit(self) -> None:
        """Remove a unit."""
        if unit := self.choose():
            raw = self.raw(unit.path).removeprefix("\ufeff")
            self.rewrite(
                unit.path,
                self.shape.edit(
                    unit.path, raw, [UnitEdit(unit.key, None, (), self.clock())], False
                ),
            )

    def new_unit(self) -> None:
        """Write something by hand."""
        self.count += 1
        end = self.random.choice(["\n", "\r\n"])
        if self.shape.is_single:
            lines = ["my own", "", f"text {self.count}"]
            fields = self.random.choice(
                [
                    [],
                    ["---", "author: me", "tags: [x]", "---"],
                    ["---", f"topic: made {self.count}", "x: y", "---", ""],
                ]
            )
            self.rewrite(f"hand {self.count % 7}.mdk", end.join([*fields, *lines]))
        else:
            path = self.random.choice(["MEMORY.md", "memory/2026-01-02.md", "memory/2026-01-03.md"])
            lines = ["", f"## By hand {self.count % 5}", "", f"text {self.count}", ""]
            self.rewrite(path, self.raw(path) + end.join(lines))

    def append(self) -> None:
        """Add a line behind a file."""
        if unit := self.choose():
            self.count += 1
            self.rewrite(unit.path, self.raw(unit.path) + f"\nadded {self.count}\n")

    def rename_unit(self) -> None:
        """Give a unit another key."""
        if unit := self.choose():
            self.count += 1
            self.rewrite(
                unit.path,
                self.shape.rename(self.raw(unit.path), unit.number, f"renamed {self.count}"),
            )

    def move_file(self) -> None:
        """Give a file another name, or bring a section to another file."""
        if (unit := self.choose()) is None:
            return
        self.count += 1
        if self.shape.is_single:
            (self.home / unit.path).rename(self.home / f"file {self.count}.mdk")
            return
        raw = self.raw(unit.path)
        self.rewrite(
            unit.path,
            self.shape.edit(unit.path, raw, [UnitEdit(unit.key, None, (), self.clock())], False),
        )
        other = "memory/2026-01-09.md"
        self.rewrite(
            other,
            self.shape.edit(
                other, self.raw(other), [UnitEdit(unit.key, unit.text, (), self.clock())], True
            ),
        )

    def clash(self) -> None:
        """Edit or remove on both sides at once."""
        both = sorted(set(self.store()) & set(self.folder()))
        if both:
            key = self.random.choice(both)
            unit = next(unit for unit in self.units() if unit.key == key)
            text = strip_blank_lines(self.text()) if self.random.random() < 0.8 else None
            change = UnitEdit(key, text, unit.tags, self.clock())
            self.rewrite(
                unit.path,
                self.shape.edit(
                    unit.path, self.raw(unit.path).removeprefix("\ufeff"), [change], True
                ),
            )
            self.ghost.put(NS, key, self.text()) if self.random.random() < 0.8 else self.ghost.rm(
                NS, key
            )

    # --- and what must be so

    def sync(self) -> None:
        """Mirror, and check that all is well."""
        store, folder, units = self.store(), self.folder(), self.units()
        report = self.ghost.notes.mirror(self.root, NS, layout=self.shape.name, accept_deletes=True)
        assert (report.pending, report.unavailable) == ([], "")
        after = self.store()
        assert after == self.folder()
        texts = list(after.values())
        for key, text in store.items():
            if self.agreed.get(key) != text:
                assert text in texts, f"lost of the store: {key!r} {text[:50]!r}"
        for unit in units:
            if self.agreed.get(unit.key) != unit.text and unit.text:
                assert unit.text in texts, f"lost of the folder: {unit.key!r} {unit.text[:50]!r}"
        for key in {*self.agreed, *store, *folder}:
            if sum(unit.key == key for unit in units) < 2:
                self.judge(after.get(key), self.agreed.get(key), store.get(key), folder.get(key))
        self.agreed = after
        before = self.traces()
        again = self.ghost.notes.mirror(self.root, NS)
        assert not again.is_changed
        assert self.traces() == before

    @staticmethod
    def judge(after: str | None, base: str | None, memory: str | None, unit: str | None) -> None:
        """Check which text a key has: the one that changed, an edit before a removal, and of two edits the folder's."""
        if unit == base:
            assert after == memory
        elif memory in (base, unit):
            assert after == unit
        else:
            assert after == (memory if unit is None else unit)

    def traces(self) -> object:
        """Return everything that a write would change."""
        files = {
            str(path): (path.stat().st_mtime_ns, path.read_bytes())
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
        }
        with self.ghost.store.engine.read() as tx:
            changes = tx.db.execute("SELECT max(seq) FROM changes").get  # type: ignore[attr-defined]
            return files, changes, tx.mirrors.items(1)


ACTIONS = [
    World.put, World.put, World.edit_memory, World.rm, World.move_memory, World.edit_unit, World.edit_unit, World.delete_unit,
    World.new_unit, World.append, World.rename_unit, World.move_file, World.clash, World.clash,
]  # fmt: skip


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look twice at once, and do not wait for the disk, which is not what is tested here."""
    monkeypatch.setattr("ghostmem.notes.mirror.MISSING_SECONDS", 0.0)
    monkeypatch.setattr("os.fsync", lambda _: None)


def play(path: Path, layout: str, seed: int) -> None:
    """Let both sides edit for some rounds."""
    world = World(path, layout, seed)
    with world.ghost:
        for _ in range(5):
            for _ in range(world.random.randrange(1, 7)):
                world.random.choice(ACTIONS)(world)
                world.clock.forward(seconds=world.random.randrange(100))
            world.sync()
        assert world.ghost.admin.check().problems == ()


@pytest.mark.wide(keep=2)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("start", range(0, 100, 10))
def test_edits_on_both_sides(tmp_path: Path, layout: str, start: int) -> None:
    """A few sequences of edits on both sides: equal after each run, nothing lost, and a second run writes nothing."""
    for seed in range(start, start + 10):
        play(tmp_path / str(seed), layout, seed)


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("start", range(1000, 1400, 25))
def test_many_edits_on_both_sides(tmp_path: Path, layout: str, start: int) -> None:
    """The same for some hundred sequences."""
    for seed in range(start, start + 25):
        play(tmp_path / str(seed), layout, seed)
