"""The results as tables: in markdown for the documentation, and in short for a terminal."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bench.report import table

Found = dict[str, Any]
NOTHING = "—"


@dataclass
class Notes:
    """Remarks that cells point to, each once, numbered as they come."""

    texts: list[str] = field(default_factory=list)

    def mark(self, text: str) -> str:
        """Return the mark of a remark."""
        if text not in self.texts:
            self.texts.append(text)
        return f"[{self.texts.index(text) + 1}]"


Cell = Callable[[Found, Notes], str]
LIBRARY = "measured as a library: no server to start, no list of tools"
SERVER = "measured over MCP: see the next column"


def part(name: str, show: Callable[[Found], str]) -> Cell:
    """Make a cell of one measure.

    Where that is missing or failed, a dash with the reason in the notes.
    """

    def cell(peer: Found, notes: Notes) -> str:
        found = peer.get(name) or {}
        if "error" in found and len(found) == 1:
            return f"{NOTHING} {notes.mark(found['error'])}"
        if not found:
            return f"{NOTHING} {notes.mark(peer.get('error') or 'not measured in this run')}"
        return show(found)

    return cell


def _started(is_server: bool) -> Cell:
    def cell(peer: Found, notes: Notes) -> str:
        if (peer["way"] == "mcp") != is_server:
            return f"{NOTHING} {notes.mark(LIBRARY if is_server else SERVER)}"
        return part("cold", lambda found: f"{found['wall_ms']:,.0f} / {found['cpu_ms']:,.0f}")(
            peer, notes
        )

    return cell


def _tools(peer: Found, notes: Notes) -> str:
    if peer["way"] != "mcp":
        return f"{NOTHING} {notes.mark(LIBRARY)}"
    return part("tools", lambda found: f"{found['tokens']:,} ({found['tools']})")(peer, notes)


def _hits(sort: str, size: str) -> Cell:
    def show(found: Found) -> str:
        one = found.get(size)
        return (
            f"{one[sort]['hit1']:.0f} / {one[sort]['hit5']:.0f}"
            + (f" at {one['among']:,}" if size == "large" else "")
            if one
            else ""
        )

    return part("quality", show)


def _ingested(peer: Found, notes: Notes) -> str:
    def show(found: Found) -> str:
        return f"{found['n']:,} {notes.mark(found['why'])}"

    return part("ingest", show)(peer, notes)


def _writers(peer: Found, notes: Notes) -> str:
    found = peer.get("writers") or {}
    if "acknowledged" not in found:
        return part("writers", str)(peer, notes)
    said = (
        f"{found['acknowledged']} of {found['puts']}, {found['lost']} lost, "
        f"{found['errors']} errors"
    )
    return said + (f" {notes.mark(found['error'])}" if found.get("error") else "")


def _durable(found: Found) -> str:
    said: str = found["durable"]
    return said.partition(":")[2].split()[0] if said[:4] in ("wait", "does") else said


def _version(peer: Found, notes: Notes) -> str:
    return str(peer["version"]) if "version" in peer else f"{NOTHING} {notes.mark(peer['error'])}"


SHEETS: dict[str, dict[str, Cell]] = {
    "Installed programs": {
        "version": _version,
        "measured as": lambda peer, _: "library" if peer["way"] == "library" else "MCP server",
        "vectors": lambda peer, _: peer["embedder"],
        "install, MB": part("install", lambda found: f"{found['mb']:,.0f}"),
        "packages": part("install", lambda found: f"{found['packages']}"),
    },
    "Storing": {
        "memories stored": _ingested,
        "bulk, memories/s": part("ingest", lambda found: f"{found['per_s']:,.0f}"),
        "per CPU second": part("ingest", lambda found: f"{found['per_cpu_s']:,.0f}"),
        "one put, p50 ms": part("put", lambda found: f"{found['p50_ms']:.2f} (n={found['n']})"),
        "CPU ms": part("put", lambda found: f"{found['cpu_ms']:.2f}"),
        "syncs in one put": part("put", _durable),
        "peak memory, MB": part("ingest", lambda found: f"{found['peak_mb']:,.0f}"),
        "on disk, MB": part("ingest", lambda found: f"{found['file_mb']:,.1f}"),
    },
    "Searching": {
        "p50 / p95 ms": part(
            "search",
            lambda found: f"{found['p50_ms']:.1f} / {found['p95_ms']:.1f} (n={found['n']})",
        ),
        "CPU ms": part("search", lambda found: f"{found['cpu_ms']:.1f}"),
        "among": part("search", lambda found: f"{found['among']:,}"),
        "topical, hit@1 / hit@5, %": _hits("topical", "small"),
        "identifiers, hit@1 / hit@5, %": _hits("identifier", "small"),
        "topical, all stored": _hits("topical", "large"),
        "identifiers, all stored": _hits("identifier", "large"),
    },
    "Starting": {
        "library: import, open, first answer, wall / CPU ms": _started(is_server=False),
        "MCP: start, handshake, first answer, wall / CPU ms": _started(is_server=True),
        "tokens of tools/list (tools)": _tools,
    },
    "Durability": {
        "four writers: acknowledged": _writers,
        "SIGKILL: acknowledged, lost": part(
            "kill", lambda found: f"{found['acknowledged']}, {found['lost']} lost"
        ),
    },
}

INTRO = """\
`python -m bench.peers` installs each program in its own environment and gives all of them the same
work, one after the other, on one machine, without a network. Programs that take vectors get those
of Ghost's static model, and the time to make these is not counted for them; Ghost's own figures
include it. The corpus is made from a seed: 200 questions with one correct answer each, among
memories that nearly answer them. 100 questions (*topical*) use other words than their answer; 100
(*identifiers*) name a code, a path or a number.

Search quality is measured in a store of 1,000 memories for every program, and again in its largest
store: 100,000 memories if the first 1,000 were stored at more than 500 a second, 10,000 if at more
than 50. Durability of a put is judged by the syncs that strace sees before it is acknowledged.
Times are wall-clock times, p50 and p95 of n calls. CPU is the mean per call of the process and all
processes it started.
"""


def markdown(results: Found) -> str:
    """Return the section of the documentation: tables, notes, and the strengths of each peer."""
    notes = Notes()
    out = [INTRO, f"{_machine(results)}\n"]
    for title, columns in SHEETS.items():
        shown = {
            head: cell
            for head, cell in columns.items()
            if head.endswith("all stored") is False or _has_large(results)
        }
        out += [
            f"### {title}\n",
            f"| peer | {' | '.join(shown)} |",
            f"|{'---|' * (len(shown) + 1)}",
        ]
        for name, peer in results["peers"].items():
            out.append(
                f"| {name} | {' | '.join(_safe(cell(peer, notes)) for cell in shown.values())} |"
            )
        out.append("")
    out += [f"{number}. {_safe(text)}" for number, text in enumerate(notes.texts, 1)]
    out += ["", "### Notes on each program\n"]
    out += [
        f"- **{name}**: {_safe(' '.join(_known(peer)))}"
        for name, peer in results["peers"].items()
        if _known(peer)
    ]
    out += ["", "### What each is better at\n"]
    out += [
        f"- **{name}**: {_safe(peer['better'])}"
        for name, peer in results["peers"].items()
        if peer.get("better")
    ]
    return "\n".join(out) + "\n"


def _known(peer: Found) -> list[str]:
    """Return the remarks on a peer, and its offline error where it downloads a model."""
    found = peer.get("offline")
    if not found:
        return list(peer["notes"])
    said = (
        "it starts offline without it."
        if found.get("works")
        else f"it does not work offline: {found.get('said', '?')}"
    )
    return [*peer["notes"], f"As installed, {said}"]


def _has_large(results: Found) -> bool:
    return any("large" in peer.get("quality", {}) for peer in results["peers"].values())


def _machine(results: Found) -> str:
    about = results.get("machine", {})
    return (
        f"Measured on {about.get('system', '?')}, {about.get('cores', '?')} cores, "
        f"Python {about.get('python', '?')}."
    )


def _safe(text: str) -> str:
    return " ".join(text.replace("|", "/").replace("<", "&lt;").split())


def text(results: Found) -> str:
    """Return the tables for a terminal."""
    notes, parts = Notes(), []
    for title, columns in SHEETS.items():
        rows = [
            [name, *(cell(peer, notes) for cell in columns.values())]
            for name, peer in results["peers"].items()
        ]
        parts.append(f"{title}\n\n{table(('peer', *columns), rows)}\n")
    return "\n".join(
        [*parts, *(f"[{number}] {note}" for number, note in enumerate(notes.texts, 1))]
    )
