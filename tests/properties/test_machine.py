"""A store driven at random agrees, step by step, with a plain dictionary."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ghostmem import ConflictError, Ghost, NotFoundError, Outcome, VersionConflictError
from ghostmem.settings import Settings

spaces = st.sampled_from(["a", "a:b", "c"])
keys = st.sampled_from(["k", "K", "kk", "日本", "k%"])
contents = st.sampled_from(["one", "two", "Ünï ☃\n\n## h\ntext", "x" * 700, "tab\tend "]) | st.text(
    st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"),
    min_size=1,
    max_size=40,
).filter(str.strip)
tag_sets = st.lists(st.sampled_from(["red", "blue", 'qu"ote', "標"]), max_size=3, unique=True)
ttls = st.sampled_from([None, "60s", "2h", "3d"])


class Entry:
    """What the model knows of one key: its versions, and whether the last one is live."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.tags: tuple[str, ...] = ()
        self.live = False
        self.expires: datetime | None = None
        self.expired: bool = False  # some version of it had an expiry, and gc may take that one


class Machine(RuleBasedStateMachine):
    """Drive put, get, rm, restore, gc, tags and export/import against dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.model: dict[tuple[str, str], Entry] = {}

    @initialize()
    def start(self) -> None:
        """Open an empty store."""
        self.ghost = Ghost.open(
            ":memory:", settings=Settings(embed_provider="none"), clock=lambda: self.now
        )

    def current(self, at: tuple[str, str]) -> Entry | None:
        """Return the model's entry if it can be read now."""
        entry = self.model.get(at)
        alive = (
            entry is not None and entry.live and (entry.expires is None or entry.expires > self.now)
        )
        return entry if alive else None

    @rule(
        ns=spaces,
        key=keys,
        content=contents,
        tags=st.none() | tag_sets,
        ttl=ttls,
        base=st.none() | st.integers(0, 4),
    )
    def put(
        self,
        ns: str,
        key: str,
        content: str,
        tags: list[str] | None,
        ttl: str | None,
        base: int | None,
    ) -> None:
        """Put something and expect the version the model expects."""
        entry = self.current((ns, key))
        version = len(entry.texts) if entry else 0
        if base is not None and base != version:
            with pytest.raises(VersionConflictError):
                self.ghost.put(ns, key, content, tags=tags, ttl=ttl, base_version=base)
            return
        found = self.ghost.put(ns, key, content, tags=tags, ttl=ttl, base_version=base)
        deadline = (
            None
            if ttl is None
            else self.now
            + {"60s": timedelta(seconds=60), "2h": timedelta(hours=2), "3d": timedelta(days=3)}[ttl]
        )
        if entry and entry.texts[-1] == content and (tags is None or tuple(tags) == entry.tags):
            assert found.outcome is Outcome.REINFORCED
            entry.expires = deadline or entry.expires
            entry.expired |= entry.expires is not None
            return
        slot = self.model.setdefault((ns, key), Entry())
        slot.tags = tuple(tags) if tags is not None else (entry.tags if entry else ())
        slot.expires = deadline or (entry.expires if entry else None)
        slot.expired |= slot.expires is not None
        slot.texts.append(content)
        slot.live = True
        assert (found.version, found.content, found.tags) == (len(slot.texts), content, slot.tags)

    @rule(ns=spaces, key=keys)
    def get(self, ns: str, key: str) -> None:
        """Read a key and expect what the model holds."""
        entry = self.current((ns, key))
        if entry is None:
            with pytest.raises(NotFoundError):
                self.ghost.get(ns, key)
            return
        found = self.ghost.get(ns, key)
        assert (found.content, found.version, found.tags) == (
            entry.texts[-1],
            len(entry.texts),
            entry.tags,
        )
        first = self.ghost.get(ns, key, version=1)
        assert first.content == entry.texts[0]

    @rule(ns=spaces, key=keys, hard=st.booleans())
    def rm(self, ns: str, key: str, hard: bool) -> None:
        """Remove a key, softly or with all versions for good."""
        entry = self.model.get((ns, key))
        if entry is None or not (entry.live or hard):
            with pytest.raises(NotFoundError):
                self.ghost.rm(ns, key, hard=hard, all_versions=hard)
            return
        self.ghost.rm(ns, key, hard=hard, all_versions=hard)
        entry.live = False
        if hard:
            del self.model[ns, key]

    @rule(ns=spaces, key=keys)
    def restore(self, ns: str, key: str) -> None:
        """Bring back what is not current."""
        entry = self.model.get((ns, key))
        if entry is None:
            with pytest.raises(NotFoundError):
                self.ghost.restore(ns, key)
        elif self.current((ns, key)):
            with pytest.raises(ConflictError):
                self.ghost.restore(ns, key)
        else:
            assert self.ghost.restore(ns, key).content == entry.texts[-1]
            entry.live = True
            entry.expires = entry.expires if entry.expires and entry.expires > self.now else None

    @rule(hours=st.sampled_from([0.01, 1, 30]))
    def wait(self, hours: float) -> None:
        """Let time pass."""
        self.now += timedelta(hours=hours)

    @rule(old=st.sampled_from(["red", "blue"]), new=st.sampled_from(["blue", "green", "red"]))
    def rename_tag(self, old: str, new: str) -> None:
        """Rename a tag everywhere it can be seen."""
        self.ghost.admin.rename_tag(old, new)
        for at, entry in self.model.items():
            if self.current(at):
                entry.tags = tuple(dict.fromkeys(new if tag == old else tag for tag in entry.tags))

    @rule()
    def reload(self) -> None:
        """Move everything into a fresh store through an export, which must be the same bytes."""
        lines = list(self.ghost.export())
        fresh = Ghost.open(
            ":memory:", settings=Settings(embed_provider="none"), clock=lambda: self.now
        )
        fresh.import_(lines, trust=True)
        assert list(fresh.export()) == lines
        self.ghost.close()
        self.ghost = fresh

    @precondition(lambda self: not any(e.expires or e.expired for e in self.model.values()))
    @rule(purge=st.booleans())
    def gc(self, purge: bool) -> None:
        """Collect; with nothing expiring only purged keys go."""
        self.ghost.lifecycle.gc(purge_deleted="all" if purge else None)
        if purge:
            self.model = {at: entry for at, entry in self.model.items() if entry.live}

    @invariant()
    def agrees(self) -> None:
        """The listing is exactly the model's current entries, and the store is whole."""
        if not hasattr(self, "ghost"):
            return
        found = {(m.ns, m.key): (m.content, m.version, m.tags) for m in self.ghost.list(limit=1000)}
        expected = {
            at: (e.texts[-1], len(e.texts), e.tags)
            for at, e in self.model.items()
            if self.current(at)
        }
        assert found == expected
        assert self.ghost.admin.check().problems == ()

    def teardown(self) -> None:
        """Close the store."""
        if hasattr(self, "ghost"):
            versions = [json.loads(line) for line in self.ghost.export()]
            assert sum(v["type"] == "memory" for v in versions) == sum(
                len(e.texts) for e in self.model.values()
            )
            self.ghost.close()


TestMachine = Machine.TestCase
TestMachine.settings = settings(
    max_examples=60,
    stateful_step_count=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


class TestMachineLong(Machine.TestCase):  # type: ignore[name-defined, misc]
    """The same for tens of thousands of steps."""

    settings = settings(
        max_examples=500,
        stateful_step_count=100,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    pytestmark = pytest.mark.slow
