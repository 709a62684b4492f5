"""The graph of a project's code: files to facts, with a cache in the store, and facts to links, anew each time."""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostmem.errors import EngineError, InvalidInputError
from ghostmem.note import Stat
from ghostmem.outline.facts import Facts
from ghostmem.outline.graph import Linked
from ghostmem.outline.languages.table import language_named
from ghostmem.outline.parse import facts_of, grammar_version
from ghostmem.outline.sources import sources
from ghostmem.times import to_ns
from ghostmem.verbs.get import bookkeep
from ghostmem.verbs.store import Store

if TYPE_CHECKING:
    from ghostmem.outline.languages.base import Language

RACY = 2_000_000_000  # nanoseconds in which a file may change without its time telling
_KEPT = 4  # graphs that a process keeps


@dataclass(slots=True)
class CodeGraph:
    """A project's code in one language: the graph, and what it was made from."""

    language: str
    root: str
    linked: Linked
    digest: str
    files: int = 0
    parsed: int = 0
    cached: int = 0
    errors: list[tuple[str, int]] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)


_RECENT: OrderedDict[tuple[str, str, str, str], Linked] = OrderedDict()


def code_graph(store: Store, root: str | Path, language: str) -> CodeGraph:
    """Read a project and return its graph; only files that changed are parsed, and everything is linked anew."""
    chosen = language_named(language)
    home = Path(os.path.realpath(Path(root).expanduser()))
    found = sources(home, chosen.suffixes)
    try:
        maker = f"{chosen.name} {chosen.version}, {grammar_version(chosen.package)}"
    except PackageNotFoundError:
        raise InvalidInputError("the code outline is not installed", "pip install 'ghostmem[outline]'") from None
    hashes, texts = _hashes(store, home, chosen, found.files, found.skipped)
    facts, parsed = _facts(store, home, chosen, maker, hashes, texts, found.skipped)
    digest = hashlib.sha256(repr(sorted((path, hashes[path]) for path in facts)).encode()).hexdigest()
    return CodeGraph(
        chosen.name,
        str(home),
        _linked(chosen, maker, home, digest, facts),
        digest,
        len(facts),
        parsed,
        len(facts) - parsed,
        [(path, line) for path in sorted(facts) for line in facts[path].errors[:1]],
        dict(sorted(found.skipped.items())),
    )


def _hashes(
    store: Store, home: Path, language: Language, files: Mapping[str, Stat], skipped: dict[str, str]
) -> tuple[dict[str, str], dict[str, bytes]]:
    """Return the hash of each file, and the content of those that had to be read for it."""
    with store.engine.read() as tx:
        known = tx.outline.files(str(home), language.name)
    hashes: dict[str, str] = {}
    texts: dict[str, bytes] = {}
    fresh: dict[str, tuple[Stat, int, str]] = {}
    now = to_ns(store.clock())
    for path, stat in files.items():
        before = known.get(path)
        if before is not None and before[0] == stat and abs(before[1] - stat.mtime_ns) > RACY:
            hashes[path] = before[2]
            continue
        try:
            texts[path] = (home / path).read_bytes()
        except OSError as error:
            skipped[path] = f"cannot be read: {error.strerror}"
            continue
        # an identical file anywhere has the same facts; only its ending tells how it is parsed
        hashes[path] = hashlib.sha256(path.rpartition(".")[2].encode() + b"\0" + texts[path]).hexdigest()
        if before is None or before[:1] != (stat,) or before[2] != hashes[path] or abs(now - stat.mtime_ns) > RACY:
            fresh[path] = (stat, now, hashes[path])
    gone = known.keys() - files.keys()
    if fresh or gone:
        _keep(store, lambda tx: tx.outline.put_files(str(home), language.name, fresh, gone))
    return hashes, texts


def _facts(
    store: Store,
    home: Path,
    language: Language,
    maker: str,
    hashes: Mapping[str, str],
    texts: dict[str, bytes],
    skipped: dict[str, str],
) -> tuple[dict[str, Facts], int]:
    """Return what each file says, from the cache where it is there, and how many had to be parsed."""
    with store.engine.read() as tx:
        known = tx.outline.facts(set(hashes.values()), maker)
    facts: dict[str, Facts] = {}
    made: dict[str, dict[str, Any]] = {}
    for path in sorted(hashes):
        data = known.get(hashes[path])
        if data is None:
            source = texts[path] if path in texts else _read(home, path, skipped)
            if source is None:
                continue
            data = made[hashes[path]] = facts_of(language, path, source).to_json()
        facts[path] = Facts.from_json(data)
    if made:
        _keep(store, lambda tx: tx.outline.put_facts(made, maker))
    return facts, len(made)


def _read(home: Path, path: str, skipped: dict[str, str]) -> bytes | None:
    try:
        return (home / path).read_bytes()
    except OSError as error:
        skipped[path] = f"cannot be read: {error.strerror}"
        return None


def _linked(language: Language, maker: str, home: Path, digest: str, facts: Mapping[str, Facts]) -> Linked:
    key = (str(home), language.name, maker, digest)
    if key not in _RECENT:
        _RECENT[key] = language.link(facts, lambda path: _text(home, path))
        while len(_RECENT) > _KEPT:
            _RECENT.popitem(last=False)
    _RECENT.move_to_end(key)
    return _RECENT[key]


def _text(home: Path, path: str) -> str | None:
    """Return the text of a file such as go.mod; nothing outside the project."""
    real = Path(os.path.realpath(home / path))
    if not real.is_relative_to(home) or not real.is_file():
        return None
    try:
        return real.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _keep(store: Store, work: Any) -> None:
    """Write into the cache if that can be done; an outline never fails for it."""
    try:
        bookkeep(store, work)
    except EngineError:
        pass
