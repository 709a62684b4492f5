"""Build the code graph of a project: parse changed files, use cached facts, and link them."""

from __future__ import annotations

import gc
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ghostmem.clock import to_ns
from ghostmem.errors import EngineError, InvalidInputError, NotFoundError, StoreBusyError
from ghostmem.model import Stat
from ghostmem.outline.find import MAX_SUGGESTIONS, nearest
from ghostmem.outline.languages.base import Facts
from ghostmem.outline.languages.table import (
    LANGUAGES,
    detected_languages,
    language_named,
    suffixes_of,
)
from ghostmem.outline.parse import (
    UnparsableError,
    content_digest,
    facts_of,
    grammar_version,
    program,
)
from ghostmem.outline.render import MAX_WIDTH, counted
from ghostmem.outline.sources import inside, listed_files, sources
from ghostmem.outline.stored_graph import StoredGraph, graph_rows
from ghostmem.store import validate
from ghostmem.store.lookup import bookkeep
from ghostmem.store.opening import open_memory
from ghostmem.store.store import Store

if TYPE_CHECKING:
    from ghostmem.store.opening import Engine
    from ghostmem.store.transaction import Transaction

RACY_NS = 2_000_000_000  # time in which a file may change without a new modification time
MAX_ATTEMPTS = 3  # to open a graph that another process replaces
MAX_UNSAVED = 4  # graphs in memory that could not be stored

# by root and language: stores in memory for graphs that the store cannot take
_UNSAVED: dict[tuple[str, str], Engine] = {}


@dataclass(slots=True)
class CodeGraph:
    """The files of a project in one language, and their graph once it is opened."""

    root: str
    language: str
    maker: str  # the extractor with its version
    hashes: dict[str, str]  # of the contents of files, by path
    skipped: dict[str, str]  # the reason why a file is left out, by path
    parsed: int = 0
    tx: Transaction = field(init=False)  # of the store, also if the graph is in memory
    stored: StoredGraph = field(init=False)

    @property
    def digest(self) -> str:
        """Return the hash of all files."""
        return hashlib.sha256(repr(sorted(self.hashes.items())).encode()).hexdigest()

    @property
    def version(self) -> str:
        """Return the version of a graph that needs no linking: of the same files and program."""
        return f"{self.maker}, {self.digest}, {program()}"

    def read(self, path: str) -> bytes | None:
        """Return the content of a file and note its hash, or note why it is left out."""
        try:
            source = Path(self.root, path).read_bytes()
        except OSError as error:
            self.skipped[path] = f"cannot be read: {error.strerror}"
            self.hashes.pop(path, None)
            return None
        self.hashes[path] = content_digest(path, source)
        return source


@contextmanager
def code_graphs(
    store: Store, root: str | Path, languages: Sequence[str]
) -> Iterator[list[CodeGraph]]:
    """Open the graphs of a project; only changed files are parsed, then all are linked again.

    The graphs are read in one transaction, which ends with the context."""
    home = project_home(root)
    graphs = [_listed(store, home, language) for language in languages]
    with no_cycle_collector():
        for _ in range(MAX_ATTEMPTS):
            with ExitStack() as stack:
                tx = stack.enter_context(store.engine.read())
                missing = [graph for graph in graphs if not _open(graph, tx, stack)]
                if not missing:
                    yield graphs
                    return
            for graph in missing:
                _build(store, graph)
    raise StoreBusyError(
        f"{home} is being outlined by other processes while its files change", "try again"
    )


def _listed(store: Store, home: Path, name: str) -> CodeGraph:
    """Return the files of a project with their hashes; only changed files are read."""
    language = language_named(name)
    files, skipped = sources(home, suffixes_of(language.name))
    maker = f"{language.name} {language.version}, {grammar_version(language.package)}"
    graph = CodeGraph(str(home), language.name, maker, {}, skipped)
    with store.engine.read() as tx:
        seen = tx.outline.files(graph.root, language.name)
    fresh: dict[str, tuple[Stat, int, str]] = {}
    now = to_ns(store.clock())
    for path, stat in files.items():
        before = seen.get(path)
        if before is not None and before[0] == stat and abs(before[1] - stat.mtime_ns) > RACY_NS:
            graph.hashes[path] = before[2]
        elif graph.read(path) is not None:
            fresh[path] = (stat, now, graph.hashes[path])
    gone = seen.keys() - files.keys()
    if fresh or gone:
        _cache(store, lambda tx: tx.outline.put_files(graph.root, language.name, fresh, gone))
    return graph


def _open(graph: CodeGraph, tx: Transaction, stack: ExitStack) -> bool:
    """Open the graph of these files, in the store or in memory; tell whether there is one."""
    unsaved = _UNSAVED.get((graph.root, graph.language))
    for each in [tx] if unsaved is None else [tx, stack.enter_context(unsaved.read())]:
        row = each.outline.graph(graph.root, graph.language)
        if row is None or row[1] != graph.version:
            continue
        details = json.loads(row[2])
        if all(_text(graph.root, path) == text for path, text in details["texts"].items()):
            graph.tx, graph.stored = tx, StoredGraph(each.outline, row[0], details)
            return True
    return False


def _build(store: Store, graph: CodeGraph) -> None:
    """Parse and link the files of a project, and store the graph."""
    facts = _facts(store, graph)
    graph.hashes = {path: graph.hashes[path] for path in facts}  # some could not be read
    errors = [(path, line) for path in sorted(facts) for line in facts[path].errors[:1]]
    texts: dict[str, str | None] = {}  # of files such as go.mod

    def read(path: str) -> str | None:
        if path not in texts:
            texts[path] = _text(graph.root, path)
        return texts[path]

    linked = language_named(graph.language).link(facts, read)
    facts.clear()  # to save memory

    def put(tx: Transaction) -> None:
        head, rows = graph_rows(linked)
        details = json.dumps({**head, "texts": texts, "errors": errors})
        tx.outline.put_graph(graph.root, graph.language, graph.version, details, rows)

    if not _cache(store, put):
        if len(_UNSAVED) >= MAX_UNSAVED:
            _UNSAVED.clear()
        engine = _UNSAVED[graph.root, graph.language] = open_memory(store.clock)
        with engine.write() as tx:
            put(tx)


def _facts(store: Store, graph: CodeGraph) -> dict[str, Facts]:
    """Return the facts of each file: from the cache, or by parsing it."""
    with store.engine.read() as tx:
        cached = tx.outline.facts(set(graph.hashes.values()), graph.maker)
        by_hash = {digest: facts for digest, packed in cached if (facts := Facts.unpacked(packed))}
    fresh: dict[str, bytes] = {}
    for path in sorted(graph.hashes):
        source = graph.read(path) if graph.hashes[path] not in by_hash else None
        if source is None:
            continue
        try:
            facts = facts_of(language_named(graph.language), path, source)
        except UnparsableError as error:
            graph.skipped[path] = str(error)
            continue
        by_hash[graph.hashes[path]] = facts
        fresh[graph.hashes[path]] = facts.packed()
    if fresh:
        _cache(store, lambda tx: tx.outline.put_facts(fresh, graph.maker))
    graph.parsed = len(fresh)
    return {
        path: by_hash[digest] for path, digest in sorted(graph.hashes.items()) if digest in by_hash
    }


def project_home(root: str | Path) -> Path:
    """Return the folder of a project without links; it need not be there."""
    return Path(os.path.realpath(os.path.expanduser(validate.path(root, "root"))))


def unknown_symbol(graphs: Sequence[CodeGraph], symbol: str, path: str = "") -> NotFoundError:
    """Return the error for an unknown symbol, with the nearest names."""
    place = f" in {path}" if path else ""
    close = [name for graph in graphs for name in nearest(graph.stored, symbol)][:MAX_SUGGESTIONS]
    hint = (
        f"the nearest names: {', '.join(close)}"
        if close
        else "`ghost outline project` lists the symbols"
    )
    broken = sum(len(graph.stored.errors) for graph in graphs)
    errors = f"; {counted(broken, 'file')} could not be parsed fully" if broken else ""
    languages = " and ".join(graph.language for graph in graphs)
    return NotFoundError(
        f"there is no symbol {validate.shown(symbol, MAX_WIDTH)}{place} in the {languages} code of "
        f"{graphs[0].root}{errors}",
        hint,
    )


def languages_of_project(root: str | Path, file: str | None = None) -> list[str]:
    """Return the languages of a project's files, or that of one file."""
    home = project_home(root)
    name = "" if file is None else inside(home, file)
    is_header = name.lower().endswith(".h")  # in the language of the project
    languages = detected_languages([name] if name and not is_header else listed_files(home))
    if is_header:
        languages = [one for one in languages if one in ("c", "cpp")][:1]
    if not languages:
        raise InvalidInputError(
            f"the language of {validate.shown(file, MAX_WIDTH)} is not known"
            if file
            else f"there is no file of a known language in {validate.shown(str(home), MAX_WIDTH)}",
            f"files are recognised by their names; the languages are: {', '.join(LANGUAGES)}",
        )
    return languages


@contextmanager
def no_cycle_collector() -> Iterator[None]:
    """Disable Python's cycle collector, which would scan many long-lived objects repeatedly."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:  # not if another thread disabled it, which will enable it
            gc.enable()


def _text(root: str, path: str) -> str | None:
    """Return the text of a file such as go.mod, if it is inside the project."""
    real = Path(os.path.realpath(f"{root}/{path}"))
    with suppress(OSError):
        if real.is_relative_to(root) and real.is_file():
            return real.read_text(encoding="utf-8", errors="replace")
    return None


def _cache(store: Store, work: Callable[[Transaction], None]) -> bool:
    """Write to the cache if possible; an outline never fails because of it."""
    with suppress(EngineError):
        return bookkeep(store, work)
    return False
