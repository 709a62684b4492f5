"""The benchmark of peers: its corpus, its drivers' shape, its harness on Ghost alone, and the tables it writes."""

import ast
import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bench import peers
from bench.child import ROOT
from bench.peer_kinds import driver, install, measures
from bench.peer_kinds.bench import Bench
from bench.peer_kinds.corpus import CODES, HEAD, PEOPLE, corpus, extra
from bench.peer_kinds.facts import PLAIN
from bench.peer_kinds.kinds import KINDS, Kind, named
from bench.peer_kinds.mcp import Server, ServerError
from bench.peer_kinds.plot import PANELS, plot
from bench.peer_kinds.served import holds, keys_in, telling
from bench.peer_kinds.sets import make
from bench.peer_kinds.tables import SHEETS, markdown, text

FOLDER = ROOT / "bench" / "peer_kinds"
DRIVERS = sorted({kind.driver for kind in KINDS})
LIBRARY = {"add", "put", "search", "missing", "close"}
SERVER = {"command", "put", "search", "missing"}


def imported(tree: ast.AST) -> set[str]:
    """Return the top-level packages that a module imports by statement."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
    return found


@pytest.mark.parametrize("name", DRIVERS)
def test_driver_offers_what_is_asked_of_it(name: str) -> None:
    """Every driver has the calls that the child makes, and can be read without its peer installed."""
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    assert imported(tree) <= {*sys.stdlib_module_names, "bench"}
    stores = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Store"]
    if stores:
        assert {
            node.name for node in stores[0].body if isinstance(node, ast.FunctionDef)
        } >= LIBRARY
    else:
        assert set(dir(__import__(f"bench.peer_kinds.{name}", fromlist=["put"]))) >= SERVER


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_kind_is_driven_as_it_says(kind: Kind) -> None:
    """A row of the table names a driver of its own way, and every peer but Ghost says what it is better at."""
    source = (FOLDER / f"{kind.driver}.py").read_text(encoding="utf-8")
    assert kind.is_server == ("class Store" not in source)
    assert kind.better or kind.home == "ghost"
    assert named(kind.name) is kind


def test_the_childs_side_needs_the_standard_library_alone() -> None:
    """What runs inside a peer's environment imports nothing that might not be there."""
    for name in ("serve", "served", "mcp", "given_vectors"):
        tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
        assert imported(tree) <= {*sys.stdlib_module_names, "bench"}, name


def test_corpus_is_the_same_every_time() -> None:
    """The seed decides everything, a larger corpus begins with the smaller one, and no text comes twice."""
    small, large = corpus(HEAD), corpus(3_000)
    assert corpus(HEAD) == small
    assert large.memories[:HEAD] == small.memories
    assert large.questions == small.questions
    assert len({text for _, text in large.memories}) == 3_000
    assert not {text for _, text in extra(500)} & {text for _, text in large.memories}


def test_every_question_has_one_right_answer() -> None:
    """An asked identifier stands in one memory alone; a topical answer is there once."""
    made = corpus(5_000)
    texts = dict(made.memories)
    assert len(made.questions) == len(PLAIN) + PEOPLE + CODES == 200
    for question in made.questions:
        if question.sort == "identifier":
            code = max(
                question.text.rstrip("?").split(),
                key=lambda word: (sum(map(str.isdigit, word)), len(word)),
            )
            assert [key for key, text in made.memories if code in text] == [question.key], question
        else:
            assert list(texts.values()).count(texts[question.key]) == 1


def test_plain_questions_do_not_repeat_their_answers() -> None:
    """A question in other words shares at most two of the longer words with what answers it."""
    for told, asked in PLAIN:
        shared = {word for word in told.lower().strip(".").split() if len(word) > 4} & set(
            asked.lower().strip("?").split()
        )
        assert len(shared) <= 1, (told, asked, shared)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Ghost without vectors, driven by this Python, with the smallest corpus."""
    monkeypatch.setattr(driver, "bin_folder", lambda work, kind: Path(sys.executable).parent)
    return Bench(
        named("ghost, none"), tmp_path, tmp_path / "room", make(tmp_path, HEAD, "none"), 60, 60, 1
    )


def test_harness_measures_ghost(bench: Bench) -> None:
    """Storing, finding, starting, four writers and kills, in child processes, on sixty memories."""
    found = measures.ingest(bench)
    assert found["n"] == 60
    assert found["why"] == "the run was limited to 60"
    assert found["file_mb"] > 0
    hits = bench.found["quality"]["small"]["identifier"]
    assert hits["n"] == sum(
        question.sort == "identifier" and int(question.key[1:]) < 60
        for question in bench.sets.asked
    )
    assert hits["hit1"] == hits["hit5"] == 100
    assert bench.found["search"]["n"] == 200
    assert measures.cold(bench)["n"] == 1
    wrote = measures.writers(bench, processes=2, each=5)
    assert (wrote["acknowledged"], wrote["lost"], wrote["errors"]) == (10, 0, 0)
    killed = measures.kill(bench, rounds=1)
    assert killed["acknowledged"] >= 20
    assert killed["lost"] == 0


def test_a_lost_write_is_noticed(bench: Bench) -> None:
    """The judge of what was lost names keys that were never stored."""
    with bench.driver("judged") as one:
        one.ask("put", 60, items=bench.sets.extra, start=0, stop=3, seconds=60)
        assert one.ask("missing", 60, items=bench.sets.extra, keys=["x000001", "x000007"]) == {
            "missing": ["x000007"]
        }


def test_what_a_peer_raises_is_one_line(bench: Bench) -> None:
    """A driver that fails answers with its error, and the harness raises it."""
    with (
        bench.driver("failing") as one,
        pytest.raises(driver.DriverError, match=r"^FileNotFoundError: "),
    ):
        one.ask("search", 60, items="/nowhere/questions", start=0, stop=1, limit=1, seconds=60)


def test_a_process_that_ends_says_its_last_words(tmp_path: Path) -> None:
    """A server that dies while starting is reported with the last line it wrote."""
    with pytest.raises(ServerError, match="the server ended: no model"):
        Server([sys.executable, "-c", "import sys; sys.exit('no model')"], {}, tmp_path, 60)


def result() -> dict[str, object]:
    """Results as the harness writes them: one peer complete, one that could not start."""
    hits = {"hit1": 50.0, "hit5": 90.0, "n": 100}
    both = {"topical": hits, "identifier": hits, "among": 1000}
    times = {"p50_ms": 1.5, "p95_ms": 3.0, "cpu_ms": 1.0, "n": 200, "among": 1000}
    good = {
        "way": "library", "embedder": "none", "better": "", "notes": ["a <b> | c"], "limit": 1000, "version": "1.0",
        "install": {"mb": 12.0, "packages": 3}, "quality": {"small": both}, "search": times,
        "ingest": {"n": 1000, "per_s": 4000.0, "per_cpu_s": 4000.0, "peak_mb": 30.0, "file_mb": 1.5, "why": "limited"},
        "put": {**times, "errors": 0, "durable": "waits for the disk: 1.0 syncs a put"},
        "cold": {"wall_ms": 100.0, "cpu_ms": 90.0, "n": 5, "among": 1000},
        "writers": {"processes": 4, "started": 4, "puts": 200, "acknowledged": 199, "lost": 1, "errors": 1, "error": "locked"},
        "kill": {"error": "no answer within 60 s"},
    }  # fmt: skip
    bad = {
        "way": "mcp",
        "embedder": "its own",
        "better": "charts.",
        "notes": [],
        "limit": 1000,
        "error": "it ended: no model",
    }
    return {
        "peers": {"ghost, none": good, "other & sons": bad},
        "machine": {"system": "Linux", "cores": 2, "python": "3.11"},
    }


def test_tables_show_every_peer_and_say_why_a_cell_is_empty() -> None:
    """Every row has as many cells as its head, a dash points to a note, and text cannot break a table."""
    lines = markdown(result()).splitlines()
    tables = [line for line in lines if line.startswith("|")]
    widths = {line.count("|") for line in tables if line.startswith("| ghost, none")}
    assert len(widths) <= len(SHEETS)
    assert sum(line.startswith("| other & sons") for line in tables) == len(SHEETS)
    for head, ruler, *rows in [tables[start : start + 4] for start in range(0, len(tables), 4)]:
        assert {line.count("|") for line in (head, *rows)} == {ruler.count("|")}
    body = "\n".join(lines)
    assert "4,000" in body
    assert "199 of 200, 1 lost, 1 errors" in body
    assert ". it ended: no model" in body
    assert ". no answer within 60 s" in body
    assert "a &lt;b> / c" in body
    assert "**other & sons**: charts." in body
    assert "other & sons" in text(result())


def test_plot_is_well_formed() -> None:
    """The picture parses, has every panel, and a dash where nothing was measured."""
    root = ElementTree.fromstring(plot(result()))
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("other & sons") == len(PANELS)
    assert texts.count("—") == len(PANELS)
    assert "4,000" in texts


def test_results_are_added_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run measures what is not known yet, or what `--only` names, and keeps the rest."""
    asked: list[str] = []
    monkeypatch.setattr(
        peers,
        "measure",
        lambda kind, *_: (
            asked.append(kind.name) or {**result()["peers"]["ghost, none"], "limit": 9}
        ),
    )
    monkeypatch.setattr(peers, "make", lambda *_: None)
    base = ["peers", "--work", str(tmp_path), "--limit", "9", "--json"]
    monkeypatch.setattr(sys, "argv", [*base, "--only", "chromadb"])
    assert peers.main() == 0
    monkeypatch.setattr(sys, "argv", base)
    assert peers.main() == 0
    assert asked.count("chromadb") == 1
    assert set(asked) == {kind.name for kind in KINDS if kind.client != "given"}
    assert set(json.loads(capsys.readouterr().out.splitlines()[-1])["peers"]) == set(asked)


def test_small_helpers() -> None:
    """Keys are read from any answer in order; the most telling word has digits; a Python is found."""
    assert keys_in('{"a": "m000002", "b": "x000001 m000002"}', 5) == ["m000002", "x000001"]
    assert holds('{"content": "grew up in Krak\\u00f3w"}', "grew up in Kraków")
    assert telling("What was wrong in src/a_12.py?") == "src/a_12.py"
    assert install.interpreter()
    with pytest.raises(install.InstallError, match=r"needs Python 3\.99"):
        install.interpreter("3.99")
