"""The graph of a project's code: files to facts, with a cache in the store, and facts to links,
anew when anything changed.
"""

from __future__ import annotations

import gc
import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ghostmem.clock import to_ns
from ghostmem.errors import EngineError, InvalidInputError
from ghostmem.model import Stat
from ghostmem.outline.facts import Facts
from ghostmem.outline.graph import Linked
from ghostmem.outline.languages.table import language_named
from ghostmem.outline.parse import UnparsableError, facts_of, grammar_version
from ghostmem.outline.render import WIDEST
from ghostmem.outline.sources import sources
from ghostmem.outline.stored import pack, program, unpack
from ghostmem.store.lookup import bookkeep
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.outline.languages.base import Language

RACY = 2_000_000_000  # nanoseconds in which a file may change without its time telling
# bytes of source that are kept in memory, read or taken apart, from one step to the next
AT_HAND = 2_000_000
BATCH = 500  # files whose facts are written at once
_KEPT = 4  # graphs that a process keeps
_ROUNDS = 8  # files that are left out one by one when all together are too deep
# files from which on a graph is kept in the store too: below that it is made as fast as it is read
LARGE = 20


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


class _Kept(NamedTuple):
    """A graph that a process keeps: what it was made from beside the files, and their errors."""

    linked: Linked
    texts: dict[str, str | None]  # of files such as go.mod that linking asked for
    errors: list[tuple[str, int]]
    left: dict[str, str]  # files that could not be linked, with the reason


_RECENT: OrderedDict[tuple[str, str, str, str], _Kept] = OrderedDict()


def code_graph(store: Store, root: str | Path, language: str) -> CodeGraph:
    """Read a project and return its graph.

    Only files that changed are parsed, and when one did everything is linked anew.
    """
    chosen = language_named(language)
    home = _home(root)
    found = sources(home, chosen.suffixes)
    try:
        maker = f"{chosen.name} {chosen.version}, {grammar_version(chosen.package)}"
    except PackageNotFoundError:
        raise InvalidInputError(
            "the code outline is not installed", "pip install 'ghostmem[outline]'"
        ) from None
    hashes, texts = _hashes(store, home, chosen, found.files, found.skipped)
    parsed = 0
    with unhindered():
        kept = _recall(store, home, chosen.name, maker, hashes)
        if kept is None:
            facts, parsed = _facts(store, home, chosen, maker, hashes, texts, found.skipped)
            hashes = {path: hashes[path] for path in facts}  # some could not be read
            kept = _link(chosen, home, facts)
            del facts  # those of a large project are in the way while its graph is packed
            _remember(store, home, chosen.name, maker, hashes, kept)
    return CodeGraph(
        chosen.name,
        str(home),
        kept.linked,
        _digest(hashes),
        len(hashes) - len(kept.left),
        parsed,
        len(hashes) - parsed,
        list(kept.errors),
        dict(sorted({**found.skipped, **kept.left}.items())),
    )


def _home(root: str | Path) -> Path:
    try:
        home = os.path.realpath(Path(root).expanduser())
        os.fsencode(home)
    except (ValueError, RuntimeError):  # a NUL, half a character, or the home of nobody
        raise InvalidInputError(
            f"the root {shown(str(root))} is no path", "name the project's folder"
        ) from None
    return Path(home)


def shown(text: str) -> str:
    """Return what somebody typed as an error repeats it: on one line, and not at any length."""
    return repr(text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…")


def _digest(hashes: Mapping[str, str]) -> str:
    return hashlib.sha256(repr(sorted(hashes.items())).encode()).hexdigest()


@contextmanager
def unhindered() -> Iterator[None]:
    """Make many objects that live on without Python's cycle collector, which would walk all of them
    again and again.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


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
    held = 0
    for path, stat in files.items():
        before = known.get(path)
        if before is not None and before[0] == stat and abs(before[1] - stat.mtime_ns) > RACY:
            hashes[path] = before[2]
            continue
        source = _read(home, path, skipped)
        if source is None:
            continue
        hashes[path] = _hash(path, source)
        held += len(source)
        if held < AT_HAND:
            texts[path] = source
        if (
            before is None
            or before[:1] != (stat,)
            or before[2] != hashes[path]
            or abs(now - stat.mtime_ns) > RACY
        ):
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
    hashes: dict[str, str],
    texts: dict[str, bytes],
    skipped: dict[str, str],
) -> tuple[dict[str, Facts], int]:
    """Return what each file says, from the cache where it is there, and how many had to be
    parsed.
    """
    known: dict[str, Facts] = {}
    with store.engine.read() as tx:
        for mark, packed in tx.outline.facts(set(hashes.values()), maker):
            if found := Facts.unpacked(packed):
                known[mark] = found
    facts: dict[str, Facts] = {}
    fresh: dict[str, bytes] = {}
    parsed = seen = 0
    for path in sorted(hashes):
        if hashes[path] not in known:
            source = texts.pop(path) if path in texts else _read(home, path, skipped)
            if source is None:
                continue
            mark = hashes[path] = _hash(path, source)  # it may be another since it was listed
            try:
                made = known[mark] = facts_of(language, path, source)
            except UnparsableError as why:
                skipped[path] = str(why)
                continue
            with suppress(RecursionError):  # too deep for JSON, then
                fresh[mark] = made.packed()
            parsed, seen = parsed + 1, seen + len(source)
            if seen > AT_HAND:
                made.rest = None
            if len(fresh) >= BATCH:
                _keep_facts(store, maker, fresh)
                fresh = {}
        facts[path] = known[hashes[path]]
    if fresh:
        _keep_facts(store, maker, fresh)
    return facts, parsed


def _keep_facts(store: Store, maker: str, fresh: Mapping[str, bytes]) -> None:
    _keep(store, lambda tx: tx.outline.put_facts(fresh.items(), maker))


def _hash(path: str, source: bytes) -> str:
    # an identical file anywhere has the same facts; only its ending tells how it is parsed
    return hashlib.sha256(path.rpartition(".")[2].encode() + b"\0" + source).hexdigest()


def _read(home: Path, path: str, skipped: dict[str, str]) -> bytes | None:
    try:
        with open(f"{home}/{path}", "rb") as file:
            return file.read()
    except OSError as error:
        skipped[path] = f"cannot be read: {error.strerror}"
        return None


def _recall(
    store: Store, home: Path, language: str, maker: str, hashes: Mapping[str, str]
) -> _Kept | None:
    """Return the graph that was made of the same files, by this process or a large one by another,
    if all else is the same.
    """
    digest = _digest(hashes)
    key = (str(home), language, maker, digest)
    kept = _RECENT.get(key)
    if kept is None and len(hashes) >= LARGE:
        with store.engine.read() as tx:
            packed = tx.outline.graph(str(home), language, f"{maker}, {digest}, {program()}")
        found = None if packed is None else unpack(packed)
        kept = (
            None
            if found is None
            else _Kept(found[0], found[1][0], [(path, line) for path, line in found[1][1]], {})
        )
    if kept is None or any(_text(home, path) != text for path, text in kept.texts.items()):
        return None
    _RECENT[key] = kept
    _RECENT.move_to_end(key)
    while len(_RECENT) > _KEPT:
        _RECENT.popitem(last=False)
    return kept


def _remember(
    store: Store, home: Path, language: str, maker: str, hashes: Mapping[str, str], kept: _Kept
) -> None:
    digest = _digest(hashes)
    _RECENT[str(home), language, maker, digest] = kept
    while len(_RECENT) > _KEPT:
        _RECENT.popitem(last=False)
    if len(hashes) >= LARGE and not kept.left:
        packed = pack(kept.linked, [kept.texts, kept.errors])
        _keep(
            store,
            lambda tx: tx.outline.put_graph(
                str(home), language, f"{maker}, {digest}, {program()}", packed
            ),
        )


def _link(language: Language, home: Path, facts: Mapping[str, Facts]) -> _Kept:
    texts: dict[str, str | None] = {}

    def read(path: str) -> str | None:
        if path not in texts:
            texts[path] = _text(home, path)
        return texts[path]

    linked, left = _together(
        lambda paths: language.link({path: facts[path] for path in paths}, read), sorted(facts)
    )
    errors = [
        (path, line) for path in sorted(facts.keys() - left) for line in facts[path].errors[:1]
    ]
    return _Kept(linked, texts, errors, dict.fromkeys(left, "is nested too deeply to be linked"))


def _together(link: Callable[[list[str]], Linked], paths: list[str]) -> tuple[Linked, set[str]]:
    """Link files; those whose parts are nested too deeply for Python's stack are left out, and
    returned.
    """

    def tried(some: list[str]) -> Linked | None:
        try:
            return link(some)
        except RecursionError:
            return None

    linked = tried(paths)
    if linked is not None:
        return linked, set()
    fine: list[str] = []
    parts = [paths]
    while parts:  # those that cannot be linked even alone, found by halves
        part = parts.pop()
        half = len(part) // 2
        for some in (part[:half], part[half:]) if half else ():
            if tried(some) is None:
                parts.append(some)
            else:
                fine += some
    fine.sort()
    rounds = 0
    while (linked := tried(fine)) is None:  # and those that only all together are too deep
        low, high = 0, len(fine)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if tried(fine[:middle]) is None else (middle, high)
        rounds += 1
        fine = fine[:low] + (fine[high:] if rounds < _ROUNDS else [])
    return linked, set(paths) - set(fine)


def _text(home: Path, path: str) -> str | None:
    """Return the text of a file such as go.mod; nothing outside the project."""
    if not os.path.isfile(f"{home}/{path}"):
        return None
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
