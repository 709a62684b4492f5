"""Build the code graph of a project: parse changed files, use cached facts, and link them."""

from __future__ import annotations

import gc
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import TYPE_CHECKING

from ghostmem.clock import to_ns
from ghostmem.errors import EngineError, InvalidInputError, NotFoundError, StoreBusyError
from ghostmem.model import Stat
from ghostmem.outline.facts import Facts
from ghostmem.outline.find import MAX_SUGGESTIONS, nearest
from ghostmem.outline.graph import Linked
from ghostmem.outline.languages.table import LANGUAGES, detected_languages, language_named
from ghostmem.outline.parse import (
    UnparsableError,
    content_digest,
    facts_of,
    grammar_version,
    program,
)
from ghostmem.outline.render import MAX_WIDTH, counted
from ghostmem.outline.sources import endings, inside, sources
from ghostmem.outline.stored_graph import StoredGraph, graph_rows
from ghostmem.store.lookup import bookkeep
from ghostmem.store.opening import open_memory
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.outline.languages.base import Language
    from ghostmem.store.protocol import Engine
    from ghostmem.store.transaction import Transaction

RACY_NS = 2_000_000_000  # time in which a file may change without a new modification time
MAX_SOURCE_BYTES = 2_000_000  # source that is kept in memory between reading and parsing
FILES_PER_WRITE = 500  # files whose facts are written at once
MAX_ATTEMPTS = 3  # to open a graph that another process replaces
MAX_UNSAVED = 4  # graphs in memory that could not be stored
MAX_LEFT_OUT = 8  # files left out one by one if all together are too deeply nested

# by root and language: stores in memory for graphs that the store cannot take
_UNSAVED: dict[tuple[str, str], Engine] = {}


@dataclass(slots=True)
class CodeGraph:
    """The graph of a project's code in one language, and figures about its files."""

    language: str
    root: str
    tx: Transaction  # of the store, also if the graph is in memory
    stored: StoredGraph
    digest: str
    files: int
    parsed: int
    cached: int
    errors: list[tuple[str, int]]
    skipped: dict[str, str]


@dataclass(slots=True)
class _Project:
    """The files of a project in one language, with the hashes of their contents."""

    root: str
    language: Language
    maker: str  # the extractor with its version
    hashes: dict[str, str] = field(default_factory=dict)
    texts: dict[str, bytes] = field(default_factory=dict)  # contents that were read already
    skipped: dict[str, str] = field(default_factory=dict)
    parsed: int = 0

    @property
    def digest(self) -> str:
        """Return the hash of all files."""
        return hashlib.sha256(repr(sorted(self.hashes.items())).encode()).hexdigest()

    @property
    def version(self) -> str:
        """Return the version of a graph that needs no linking: of the same files and program."""
        return f"{self.maker}, {self.digest}, {program()}"

    def read(self, path: str) -> bytes | None:
        """Return the content of a file, or note why it is left out."""
        try:
            with open(f"{self.root}/{path}", "rb") as file:
                return file.read()
        except OSError as error:
            self.skipped[path] = f"cannot be read: {error.strerror}"
            return None


@contextmanager
def code_graphs(
    store: Store, root: str | Path, languages: Sequence[str]
) -> Iterator[list[CodeGraph]]:
    """Open the graphs of a project; only changed files are parsed, then all are linked again.

    The graphs are read in one transaction, which ends with the context."""
    home = _home(root)
    projects = [_listed(store, home, language_named(language)) for language in languages]
    for _ in range(MAX_ATTEMPTS):
        with no_cycle_collector(), ExitStack() as stack:
            tx = stack.enter_context(store.engine.read())
            graphs = [_opened(project, tx, stack) for project in projects]
            if None not in graphs:
                yield [graph for graph in graphs if graph is not None]
                return
        with no_cycle_collector():
            for project, graph in zip(projects, graphs, strict=True):
                if graph is None:
                    _build(store, project)
    raise StoreBusyError(
        f"{home} is being outlined by other processes while its files change", "try again"
    )


def _listed(store: Store, home: Path, language: Language) -> _Project:
    """Return the files of a project with their hashes; only changed files are read."""
    listed = sources(home, language.suffixes)
    try:
        maker = f"{language.name} {language.version}, {grammar_version(language.package)}"
    except PackageNotFoundError:
        raise InvalidInputError(
            "the code outline is not installed", "pip install 'ghostmem[outline]'"
        ) from None
    project = _Project(str(home), language, maker, skipped=listed.skipped)
    with store.engine.read() as tx:
        known = tx.outline.files(project.root, language.name)
    fresh: dict[str, tuple[Stat, int, str]] = {}
    now = to_ns(store.clock())
    kept_bytes = 0
    for path, stat in listed.files.items():
        before = known.get(path)
        if before is not None and before[0] == stat and abs(before[1] - stat.mtime_ns) > RACY_NS:
            project.hashes[path] = before[2]
            continue
        source = project.read(path)
        if source is None:
            continue
        digest = project.hashes[path] = content_digest(path, source)
        kept_bytes += len(source)
        if kept_bytes < MAX_SOURCE_BYTES:
            project.texts[path] = source
        is_racy = abs(now - stat.mtime_ns) <= RACY_NS
        if before is None or before[0] != stat or before[2] != digest or not is_racy:
            fresh[path] = (stat, now, digest)
    gone = known.keys() - listed.files.keys()
    if fresh or gone:
        _cache(store, lambda tx: tx.outline.put_files(project.root, language.name, fresh, gone))
    return project


def _opened(project: _Project, tx: Transaction, stack: ExitStack) -> CodeGraph | None:
    """Return the graph of these files, from the store or from memory; None if there is none."""
    unsaved = _UNSAVED.get((project.root, project.language.name))
    transactions = [tx] if unsaved is None else [tx, stack.enter_context(unsaved.read())]
    for each in transactions:
        row = each.outline.graph(project.root, project.language.name)
        if row is None or row[1] != project.version:
            continue
        details = json.loads(row[2])
        if any(_text(project.root, path) != text for path, text in details["texts"].items()):
            continue
        unlinked = details["unlinked"]
        return CodeGraph(
            project.language.name,
            project.root,
            tx,
            StoredGraph(each.outline, row[0], details),
            project.digest,
            len(project.hashes) - len(unlinked),
            project.parsed,
            len(project.hashes) - project.parsed,
            [(path, line) for path, line in details["errors"]],
            dict(sorted({**project.skipped, **unlinked}.items())),
        )
    return None


def _build(store: Store, project: _Project) -> None:
    """Parse and link the files of a project, and store the graph."""
    facts = _facts(store, project)
    project.hashes = {path: project.hashes[path] for path in facts}  # some could not be read
    texts: dict[str, str | None] = {}  # of files such as go.mod

    def read(path: str) -> str | None:
        if path not in texts:
            texts[path] = _text(project.root, path)
        return texts[path]

    linked, unlinked = _link_possible(
        lambda paths: project.language.link({path: facts[path] for path in paths}, read),
        sorted(facts),
    )
    errors = [
        (path, line) for path in sorted(facts.keys() - unlinked) for line in facts[path].errors[:1]
    ]
    facts.clear()  # to save memory
    details = {
        "texts": texts,
        "errors": errors,
        "unlinked": dict.fromkeys(sorted(unlinked), "is nested too deeply to be linked"),
    }

    def put(tx: Transaction) -> None:
        head, rows = graph_rows(linked)
        tx.outline.put_graph(
            project.root, project.language.name, project.version, json.dumps(head | details), rows
        )

    # how deep files may be nested depends on the caller, so that graph is not for others
    if unlinked or not _cache(store, put):
        key = (project.root, project.language.name)
        _UNSAVED.pop(key, None)
        if len(_UNSAVED) >= MAX_UNSAVED:
            _UNSAVED.pop(next(iter(_UNSAVED)), None)
        engine = _UNSAVED[key] = open_memory(store.clock)
        with engine.write() as tx:
            put(tx)


def _facts(store: Store, project: _Project) -> dict[str, Facts]:
    """Return the facts of each file: from the cache, or by parsing it.

    `hashes` and `skipped` are updated for files that changed meanwhile or cannot be parsed."""
    with store.engine.read() as tx:
        cached = tx.outline.facts(set(project.hashes.values()), project.maker)
        by_hash = {digest: facts for digest, packed in cached if (facts := Facts.unpacked(packed))}
    fresh: dict[str, bytes] = {}

    def write() -> None:
        _cache(store, lambda tx: tx.outline.put_facts(fresh, project.maker))
        fresh.clear()

    parsed = set()
    for path in sorted(project.hashes):
        if project.hashes[path] in by_hash:
            continue
        source = project.texts.pop(path) if path in project.texts else project.read(path)
        if source is None:
            continue
        digest = project.hashes[path] = content_digest(path, source)  # it may have changed
        try:
            facts = by_hash[digest] = facts_of(project.language, path, source)
        except UnparsableError as error:
            project.skipped[path] = str(error)
            continue
        parsed.add(digest)
        with suppress(RecursionError):  # too deeply nested for JSON
            fresh[digest] = facts.packed()
        if len(fresh) >= FILES_PER_WRITE:
            write()
    if fresh:
        write()
    project.parsed = len(parsed)
    hashes = sorted(project.hashes.items())
    return {path: by_hash[digest] for path, digest in hashes if digest in by_hash}


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
    close = [name for graph in graphs for name in nearest(graph.stored, symbol)][:MAX_SUGGESTIONS]
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


def _text(root: str, path: str) -> str | None:
    """Return the text of a file such as go.mod, if it is inside the project."""
    real = Path(os.path.realpath(f"{root}/{path}"))
    if not real.is_relative_to(root) or not real.is_file():
        return None
    try:
        return real.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _cache(store: Store, work: Callable[[Transaction], None]) -> bool:
    """Write to the cache if possible; an outline never fails because of it."""
    with suppress(EngineError):
        return bookkeep(store, work)
    return False
