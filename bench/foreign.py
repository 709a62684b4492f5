"""python -m bench.foreign --attacks FILE --benign FILE --around FILE [--embed local] [--json].

Measure how much foreign text the quarantine holds, on every path by which such text arrives.

The files are JSON Lines: attacks and benign texts {text, lang, sort}, surroundings {before, after}
with eight ordinary sentences each. Every attack and every benign text goes through every path by
itself. The English attacks are also put among two and eight sentences on each side, as a paragraph
of their own and as a sentence of the running text."""

import argparse
import http.client
import json
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.judge import read_rows
from bench.report import machine, show, table
from ghostmem import Ghost
from ghostmem.mcp.tool_server import ToolServer
from ghostmem.settings import Settings

SIZES = (2, 8)  # sentences on each side of an attack
FORMS = {"paragraph": "\n\n", "sentence": " "}
Row = dict[str, Any]
Arrival = Callable[[Ghost, Path, str, str], object]


def put(source_kind: str) -> Arrival:
    """Return a path: a put with a kind of source."""
    return lambda ghost, _, ns, text: ghost.put(ns, "text", text, source_kind=source_kind)


def import_export(ghost: Ghost, _: Path, ns: str, text: str) -> None:
    """Import the export of another store."""
    with Ghost.open(":memory:", settings=Settings(embed_provider="none")) as other:
        other.put(ns, "text", text)
        ghost.import_(list(other.export()))


def import_tool(kind: str, name: str, row: Callable[[str], str]) -> Arrival:
    """Return a path: the file of another tool."""

    def arrive(ghost: Ghost, folder: Path, ns: str, text: str) -> None:
        path = folder / ns / name
        path.parent.mkdir()
        path.write_text(row(text), encoding="utf-8")
        ghost.transfer.import_foreign(
            path if kind in ("mem0", "server-memory") else path.parent, ns, kind
        )

    return arrive


def in_file(name: str, act: Callable[[Ghost, Path, str], object]) -> Arrival:
    """Return a path: a text in a file of a folder of its own."""

    def arrive(ghost: Ghost, folder: Path, ns: str, text: str) -> None:
        (folder / ns).mkdir()
        (folder / ns / name).write_text(text, encoding="utf-8")
        act(ghost, folder / ns, ns)

    return arrive


def ingest_transcript(ghost: Ghost, folder: Path, ns: str, text: str) -> None:
    """Ingest a conversation in which the assistant repeats a text."""
    turns = [{"role": "user", "content": "What does it say?"}, {"role": "assistant"}]
    turns[1]["content"] = text
    path = folder / f"{ns}.json"
    path.write_text(json.dumps(turns), encoding="utf-8")
    ghost.transfer.ingest_transcript(path, ns)


def over_mcp(ghost: Ghost, _: Path, ns: str, text: str) -> None:
    """Put a text over MCP without a source."""
    ToolServer(ghost, folder="/").call("ghost_put", {"ns": ns, "key": "text", "content": text})


@contextmanager
def served(ghost: Ghost) -> Iterator[Arrival]:
    """Yield a path: a put over HTTP with a token and without a source."""
    from ghostmem.web.app import RequestLimits, make_app
    from ghostmem.web.serve import listen, make_server

    token, _ = ghost.admin.create_token("bench", ["*:write"])
    listening = listen("127.0.0.1", 0)
    server = make_server(make_app(ghost, limits=RequestLimits(per_second=0), log=lambda _: None))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()

    def arrive(_: Ghost, __: Path, ns: str, text: str) -> None:
        link = http.client.HTTPConnection("127.0.0.1", listening.getsockname()[1], timeout=60)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        body = json.dumps({"content": text})
        link.request("PUT", f"/api/v1/memories/{ns}/text", body, headers)
        answer = link.getresponse()
        if answer.status not in (200, 201, 202):
            raise SystemExit(f"PUT: {answer.status} {answer.read().decode()}")
        link.close()

    yield arrive
    server.should_exit = True
    thread.join()


PATHS: dict[str, Arrival] = {
    "put, observed": put("observed"),
    "put, peer": put("peer"),
    "put, self": put("self"),
    "import of an export": import_export,
    "import --from mem0": import_tool(
        "mem0", "mem0.json", lambda text: json.dumps([{"id": "1", "memory": text}])
    ),
    "import --from server-memory": import_tool(
        "server-memory",
        "memory.jsonl",
        lambda text: json.dumps(
            {"type": "entity", "name": "page", "entityType": "page", "observations": [text]}
        ),
    ),
    "import --from basic-memory": import_tool(
        "basic-memory", "page.md", lambda text: f"---\ntitle: Page\ntype: note\n---\n\n{text}\n"
    ),
    "import --from markdown": import_tool(
        "markdown", "page.md", lambda text: f"# Page\n\n{text}\n"
    ),
    "ingest": in_file("page.md", lambda ghost, folder, ns: ghost.ingest(folder, ns)),
    "ingest --transcript": ingest_transcript,
    "notes, observed": in_file(
        "page.md",
        lambda ghost, folder, ns: ghost.notes.add(folder, ns, source_kind="observed"),
    ),
    "MCP, no source": over_mcp,
}


def count_held(settings: Settings, arrive: Arrival | None, texts: Sequence[str]) -> int:
    """Return how many texts a path holds; none as a path stands for HTTP."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Ghost.open(str(Path(folder) / "memory.db"), settings=settings) as ghost,
    ):
        if arrive is not None:
            return _held(ghost, arrive, Path(folder), texts)
        with served(ghost) as over_http:
            return _held(ghost, over_http, Path(folder), texts)


def _held(ghost: Ghost, arrive: Arrival, folder: Path, texts: Sequence[str]) -> int:
    for number, text in enumerate(texts):
        arrive(ghost, folder, f"text-{number}", text)
    return len({entry.ns for entry in ghost.quarantine.list()})


def surrounded(attacks: Sequence[str], around: Sequence[Row], size: int, gap: str) -> list[str]:
    """Return attacks among ordinary sentences."""
    texts = []
    for number, attack in enumerate(attacks):
        row = around[number % len(around)]
        texts.append(gap.join([" ".join(row["before"][-size:]), attack, *_first(row, size)]))
    return texts


def _first(row: Row, size: int) -> list[str]:
    return [" ".join(row["after"][:size])]


def measure(
    provider: str, attacks: Sequence[Row], benign: Sequence[Row], around: Sequence[Row]
) -> Row:
    """Return how many texts are held on each path, and how many attacks among other sentences."""
    settings = Settings(embed_provider=provider)
    texts, others = [row["text"] for row in attacks], [row["text"] for row in benign]
    paths: dict[str, Arrival | None] = {**PATHS, "HTTP with a token, no source": None}
    found: Row = {
        "attacks": len(texts),
        "benign": len(others),
        "paths": {
            name: {
                "attacks": count_held(settings, arrive, texts),
                "benign": count_held(settings, arrive, others),
            }
            for name, arrive in paths.items()
        },
    }
    english = [row["text"] for row in attacks if row.get("lang", "en") == "en"]
    found["english"] = len(english)
    found["surrounded"] = {
        f"{size}+{size} sentences, as a {form}": count_held(
            settings, PATHS["put, observed"], surrounded(english, around, size, gap)
        )
        for size in SIZES
        for form, gap in FORMS.items()
        if around
    }
    return found


def as_table(found: Row) -> str:
    """Return the figures as two tables."""
    paths = [
        (name, f"{row['attacks']} of {found['attacks']}", f"{row['benign']} of {found['benign']}")
        for name, row in found["paths"].items()
    ]
    inside = [(name, f"{held} of {found['english']}") for name, held in found["surrounded"].items()]
    return "\n\n".join(
        [
            table(("path", "attacks held", "benign held"), paths),
            table(("English attacks among", "held"), inside),
        ]
    )


def main() -> int:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description="Measure the quarantine on every path.")
    for name in ("attacks", "benign", "around"):
        parser.add_argument(f"--{name}", type=Path, required=True, metavar="FILE")
    parser.add_argument("--embed", default="local", choices=("local", "static", "none"))
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    rows = [read_rows(path) for path in (given.attacks, given.benign, given.around)]
    if not rows[0]:
        raise SystemExit(f"{given.attacks} has no attacks; see --help")
    found = measure(given.embed, *rows)
    show({**machine(), "embed": given.embed, **found}, as_table(found), given.json)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
