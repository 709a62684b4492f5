"""Build the code graph of a project: parse changed files, use cached facts, and link them."""

from __future__ import annotations

import gc
import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ghostmem.clock import to_ns
from ghostmem.errors import EngineError, InvalidInputError, NotFoundError
from ghostmem.model import Stat
from ghostmem.outline.column_graph import ColumnGraph, opened, pack_links
from ghostmem.outline.facts import Facts
from ghostmem.outline.find import MAX_SUGGESTIONS, nearest
from ghostmem.outline.graph import Linked
from ghostmem.outline.languages.table import LANGUAGES, detected_languages, language_named
from ghostmem.outline.parallel import Helper, helper
from ghostmem.outline.parse import (
    UnparsableError,
    content_digest,
    facts_of,
    grammar_version,
    program,
)
from ghostmem.outline.render import MAX_WIDTH, counted
from ghostmem.outline.sources import endings, inside, sources
from ghostmem.outline.worker import Worker, start_worker
from ghostmem.store.lookup import bookkeep
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.outline.languages.base import Language

RACY_NS = 2_000_000_000  # time in which a file may change without a new modification time
MAX_SOURCE_BYTES = 2_000_000  # source kept in memory between reading and parsing
FILES_PER_WRITE = 500  # files whose facts are written at once
MIN_SHARED_FILES = 200  # files from which on a second process helps to parse them
MAX_GRAPHS = 4  # graphs that a process keeps
MAX_LEFT_OUT = 8  # files left out one by one if all together are too deeply nested
# Graphs of at least this many files are kept in the store; smaller ones are built as fast.
MIN_STORED_FILES = 20


@dataclass(slots=True)
class CodeGraph:
    """The graph of a project's code in one language, and figures about its files."""

    language: str
    root: str
    columns: ColumnGraph
    digest: str
    files: int = 0
    parsed: int = 0
    cached: int = 0
    errors: list[tuple[str, int]] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)


class _CachedGraph(NamedTuple):
    """A graph, the other files that linking read, and errors."""

    columns: ColumnGraph
    texts: dict[str, str | None]  # of files such as go.mod
    errors: list[tuple[str, int]]
    unlinked: dict[str, str]  # files that could not be linked, with the reason


_RECENT: OrderedDict[tuple[str, str, str, str], _CachedGraph] = OrderedDict()


def code_graph(store: Store, root: str | Path, language: str) -> CodeGraph:
    """Return the graph of a project; only changed files are parsed, then all are linked again."""
    chosen = language_named(language)
    home = _home(root)
    listed = sources(home, chosen.suffixes)
    try:
        maker = f"{chosen.name} {chosen.version}, {grammar_version(chosen.package)}"
    except PackageNotFoundError:
        raise InvalidInputError(
            "the code outline is not installed", "pip install 'ghostmem[outline]'"
        ) from None
    hashes, texts = _hashes(store, home, chosen, listed.files, listed.skipped)
    parsed = 0
    with no_cycle_collector():
        cached = _recall(store, home, chosen.name, maker, hashes)
        if cached is None:
            with helper(pack_links, needed=len(hashes) >= MIN_SHARED_FILES) as packer:
                # the reader must not outlive this line: linking drops the facts to save memory
                facts, parsed = _FactReader(
                    store, home, chosen, maker, hashes, texts, listed.skipped
                ).read()
                hashes = {path: hashes[path] for path in facts}  # some could not be read
                cached = _link(chosen, home, facts, packer)
            _remember(store, home, chosen.name, maker, hashes, cached)
    return CodeGraph(
        chosen.name,
        str(home),
        cached.columns,
        _digest(hashes),
        len(hashes) - len(cached.unlinked),
        parsed,
        len(hashes) - parsed,
        list(cached.errors),
        dict(sorted({**listed.skipped, **cached.unlinked}.items())),
    )


def _home(root: str | Path) -> Path:
    try:
        home = os.path.realpath(Path(root).expanduser())
        os.fsencode(home)
    except (ValueError, RuntimeError):  # a NUL, a surrogate, or an unknown user
        raise InvalidInputError(
            f"the root {shown(str(root))} is not a path", "give the project's folder"
        ) from None
    return Path(home)


def shown(text: str) -> str:
    """Return a text quoted and shortened for an error message."""
    return repr(text if len(text) <= MAX_WIDTH else f"{text[: MAX_WIDTH - 1]}…")


def unknown_symbol(graphs: Sequence[CodeGraph], symbol: str, path: str = "") -> NotFoundError:
    """Return the error for an unknown symbol, with the nearest names."""
    where = f" in {path}" if path else ""
    close = [name for graph in graphs for name in nearest(graph.columns, symbol)][:MAX_SUGGESTIONS]
    hint = (
        f"the nearest names: {', '.join(close)}"
        if close
        else "`ghost outline project` lists the symbols"
    )
    broken = sum(len(graph.errors) for graph in graphs)
    errors = f"; {counted(broken, 'file')} could not be parsed fully" if broken else ""
    languages = " and ".join(graph.language for graph in graphs)
    return NotFoundError(
        f"there is no symbol {shown(symbol)}{where} in the {languages} code of "
        f"{graphs[0].root}{errors}",
        hint,
    )


def languages_of_project(root: str | Path, file: str | None = None) -> list[str]:
    """Return the languages of a project's files, or that of one file."""
    home = _home(root)
    ending = "" if file is None else inside(home, file).rpartition(".")[2].lower()
    if ending and ending != "h":
        found = detected_languages([ending])
    else:
        found = detected_languages(endings(home))
        found = [name for name in found if name in ("c", "cpp")][:1] if ending else found
    if not found:
        raise InvalidInputError(
            f"the language of {shown(file)} is not known"
            if file
            else f"there is no file of a known language in {shown(str(home))}",
            f"files are recognised by their names; the languages are: {', '.join(LANGUAGES)}",
        )
    return found


def _digest(hashes: Mapping[str, str]) -> str:
    return hashlib.sha256(repr(sorted(hashes.items())).encode()).hexdigest()


@contextmanager
def no_cycle_collector() -> Iterator[None]:
    """Disable Python's cycle collector, which would scan many long-lived objects repeatedly."""
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
    """Return the hash of each file, and the content of those that had to be read."""
    with store.engine.read() as tx:
        known = tx.outline.files(str(home), language.name)
    hashes: dict[str, str] = {}
    texts: dict[str, bytes] = {}
    fresh: dict[str, tuple[Stat, int, str]] = {}
    now = to_ns(store.clock())
    kept_bytes = 0
    for path, stat in files.items():
        before = known.get(path)
        if before is not None and before[0] == stat and abs(before[1] - stat.mtime_ns) > RACY_NS:
            hashes[path] = before[2]
            continue
        source = _read(home, path, skipped)
        if source is None:
            continue
        hashes[path] = content_digest(path, source)
        kept_bytes += len(source)
        if kept_bytes < MAX_SOURCE_BYTES:
            texts[path] = source
        if (
            before is None
            or before[:1] != (stat,)
            or before[2] != hashes[path]
            or abs(now - stat.mtime_ns) > RACY_NS
        ):
            fresh[path] = (stat, now, hashes[path])
    gone = known.keys() - files.keys()
    if fresh or gone:
        _cache(store, lambda tx: tx.outline.put_files(str(home), language.name, fresh, gone))
    return hashes, texts


@dataclass(slots=True)
class _FactReader:
    """Reads the facts of a project's files: from the cache, or by parsing them.

    `hashes` and `skipped` are updated for files that changed meanwhile or cannot be parsed."""

    store: Store
    home: Path
    language: Language
    maker: str
    hashes: dict[str, str]
    texts: dict[str, bytes]  # the content of files that was read already
    skipped: dict[str, str]
    known: dict[str, Facts] = field(default_factory=dict)  # by hash
    fresh: dict[str, bytes] = field(default_factory=dict)  # packed facts that are not cached yet
    parsed_bytes: int = 0
    unfolded: list[Facts] = field(default_factory=list)  # parsed facts with the rest at hand

    def read(self) -> tuple[dict[str, Facts], int]:
        """Return the facts of each file, and the number of parsed files."""
        self._read_cached()
        missing = sorted(path for path, mark in self.hashes.items() if mark not in self.known)
        with _helping(self.language, self.home, missing, self.hashes) as (own, worker):
            for path in own:
                self._parse(path)
            if worker is not None:
                self._take_results(worker)
        for path in missing:  # of the other process, if it did not get that far
            if self.hashes[path] not in self.known and path not in self.skipped:
                self._parse(path)
        self._write()
        parsed = len({self.hashes[path] for path in missing} & self.known.keys())
        hashes = sorted(self.hashes.items())
        return {path: self.known[mark] for path, mark in hashes if mark in self.known}, parsed

    def _read_cached(self) -> None:
        with self.store.engine.read() as tx:
            for mark, packed in tx.outline.facts(set(self.hashes.values()), self.maker):
                if unpacked := Facts.unpacked(packed):
                    self.known[mark] = unpacked

    def _take_results(self, worker: Worker) -> None:
        """Add the facts that the second process extracted."""
        for made in worker.results():
            self.hashes[made.path] = made.digest
            if made.facts is None:
                self.skipped[made.path] = made.reason
            elif (unpacked := Facts.unpacked(made.facts)) is not None:
                self.known[made.digest] = unpacked
                self._keep(made.digest, made.facts)

    def _parse(self, path: str) -> None:
        """Add the facts of a file, or the reason why it has none."""
        is_read = path in self.texts
        source = self.texts.pop(path) if is_read else _read(self.home, path, self.skipped)
        if source is None:
            return
        # it may have changed meanwhile
        mark = self.hashes[path] = content_digest(path, source)
        try:
            new = self.known[mark] = facts_of(self.language, path, source)
        except UnparsableError as error:
            self.skipped[path] = str(error)
            return
        with suppress(RecursionError):  # too deeply nested for JSON
            self._keep(mark, new.packed())
        self.parsed_bytes += len(source)
        self.unfolded.append(new)
        if self.parsed_bytes > MAX_SOURCE_BYTES:  # a large project: each rest is unfolded if needed
            for facts in self.unfolded:
                facts.rest = None if facts.fold else facts.rest
            self.unfolded.clear()

    def _keep(self, mark: str, packed: bytes) -> None:
        """Cache facts, together with others."""
        self.fresh[mark] = packed
        if len(self.fresh) >= FILES_PER_WRITE:
            self._write()

    def _write(self) -> None:
        fresh, self.fresh = self.fresh, {}
        if fresh:
            _cache(self.store, lambda tx: tx.outline.put_facts(fresh.items(), self.maker))


@contextmanager
def _helping(
    language: Language, home: Path, missing: list[str], hashes: Mapping[str, str]
) -> Iterator[tuple[list[str], Worker | None]]:
    """Give every other file of a large project to a second process, and yield the rest."""
    distinct = list({hashes[path]: path for path in missing}.values())
    own, other = distinct, []
    if len(distinct) >= MIN_SHARED_FILES and (os.cpu_count() or 1) > 1:
        own, other = distinct[::2], distinct[1::2]
    worker = start_worker(language.name, home, other) if other else None
    try:
        yield (own if worker is not None else distinct), worker
    finally:
        if worker is not None:
            worker.close()


def _read(home: Path, path: str, skipped: dict[str, str]) -> bytes | None:
    try:
        with open(f"{home}/{path}", "rb") as file:
            return file.read()
    except OSError as error:
        skipped[path] = f"cannot be read: {error.strerror}"
        return None


def _recall(
    store: Store, home: Path, language: str, maker: str, hashes: Mapping[str, str]
) -> _CachedGraph | None:
    """Return the cached graph of the same files, from this process or from the store."""
    digest = _digest(hashes)
    key = (str(home), language, maker, digest)
    cached = _RECENT.get(key)
    if cached is None and len(hashes) >= MIN_STORED_FILES:
        with store.engine.read() as tx:
            packed = tx.outline.graph(str(home), language, f"{maker}, {digest}, {program()}")
        columns = None if packed is None else opened(packed)
        if columns is not None:
            texts, errors = columns.more
            cached = _CachedGraph(columns, texts, [(path, line) for path, line in errors], {})
    if cached is None or any(_text(home, path) != text for path, text in cached.texts.items()):
        return None
    _keep_recent(key, cached)
    return cached


def _keep_recent(key: tuple[str, str, str, str], cached: _CachedGraph) -> None:
    _RECENT[key] = cached
    _RECENT.move_to_end(key)
    while len(_RECENT) > MAX_GRAPHS:
        _RECENT.popitem(last=False)


def _remember(
    store: Store,
    home: Path,
    language: str,
    maker: str,
    hashes: Mapping[str, str],
    cached: _CachedGraph,
) -> None:
    digest = _digest(hashes)
    _keep_recent((str(home), language, maker, digest), cached)
    if len(hashes) >= MIN_STORED_FILES and not cached.unlinked:
        _cache(
            store,
            lambda tx: tx.outline.put_graph(
                str(home), language, f"{maker}, {digest}, {program()}", cached.columns.packed
            ),
        )


def _link(language: Language, home: Path, facts: dict[str, Facts], packer: Helper) -> _CachedGraph:
    """Return the graph of files; their facts are dropped before it is packed, to save memory."""
    texts: dict[str, str | None] = {}

    def read(path: str) -> str | None:
        if path not in texts:
            texts[path] = _text(home, path)
        return texts[path]

    linked, unlinked = _link_possible(
        lambda paths: language.link({path: facts[path] for path in paths}, read), sorted(facts)
    )
    errors = [
        (path, line) for path in sorted(facts.keys() - unlinked) for line in facts[path].errors[:1]
    ]
    reasons = dict.fromkeys(unlinked, "is nested too deeply to be linked")
    facts.clear()
    columns = ColumnGraph.of(linked, [texts, errors], packer)
    return _CachedGraph(columns, texts, errors, reasons)


def _link_possible(
    link: Callable[[list[str]], Linked], paths: list[str]
) -> tuple[Linked, set[str]]:
    """Link files, and return those that are nested too deeply for Python's stack."""

    def attempt(part: list[str]) -> Linked | None:
        try:
            return link(part)
        except RecursionError:
            return None

    linked = attempt(paths)
    if linked is not None:
        return linked, set()
    linkable: list[str] = []
    parts = [paths]
    while parts:  # find files that cannot be linked even alone, by bisection
        part = parts.pop()
        half = len(part) // 2
        for half_part in (part[:half], part[half:]) if half else ():
            if attempt(half_part) is None:
                parts.append(half_part)
            else:
                linkable += half_part
    linkable.sort()
    left_out = 0
    while (linked := attempt(linkable)) is None:  # find files that are too deep only together
        low, high = 0, len(linkable)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if attempt(linkable[:middle]) is None else (middle, high)
        left_out += 1
        linkable = linkable[:low] + (linkable[high:] if left_out < MAX_LEFT_OUT else [])
    return linked, set(paths) - set(linkable)


def _text(home: Path, path: str) -> str | None:
    """Return the text of a file such as go.mod, if it is inside the project."""
    if not os.path.isfile(f"{home}/{path}"):
        return None
    real = Path(os.path.realpath(home / path))
    if not real.is_relative_to(home) or not real.is_file():
        return None
    try:
        return real.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _cache(store: Store, work: Any) -> None:
    """Write to the cache if possible; an outline never fails because of it."""
    with suppress(EngineError):
        bookkeep(store, work)
