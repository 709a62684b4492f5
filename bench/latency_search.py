"""Measure search: warm by size of the namespace, cold against minimal programs."""

import json
import os
import random
import re
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import ghostmem
from bench.child import json_of_python, plain_env
from bench.corpus import many_sentences, sentences
from bench.timing import (
    Cost,
    Plan,
    Section,
    child_cost,
    cost,
    cpu_ms,
    cpu_p95_ms,
    interleaved,
    wall_ms,
)
from ghostmem import Ghost, Settings
from ghostmem.embed.base import Embedder
from ghostmem.embed.static import StaticEmbedder
from ghostmem.text.chunk import CHUNKER
from ghostmem.text.terms import STOP_WORDS

NS = "bench:search"
GHOST = Path(sys.executable).with_name("ghost")
ASKED = 160
STATIC = Settings(embed_provider="static")


class Ready:
    """A provider with questions embedded in advance, so that a search is measured without it."""

    def __init__(self, inner: Embedder, texts: Sequence[str]) -> None:
        self.model, self.dimension, self.thresholds, self.known = (
            inner.model,
            inner.dimension,
            inner.thresholds,
            inner.known,
        )
        self._inner = inner
        self._made = {text: inner.embed([text]) for text in texts}

    def embed(self, texts: Sequence[str]) -> "np.ndarray[Any, np.dtype[np.float32]]":
        """Return the vector of a text that was embedded before, or of one that was corrected."""
        text = texts[0]
        if text not in self._made:
            self._made[text] = self._inner.embed([text])
        return self._made[text]


def questions(texts: Sequence[str], stored: Sequence[str], count: int) -> list[str]:
    """Make questions from unstored sentences: some of their words, whole, and identifiers."""
    chance = random.Random(7)
    names = [
        name for text in stored[::50] for name in re.findall(r"\b[a-z]+(?:[_.][a-z]+)+\b", text)
    ]
    found: list[str] = []
    for at, text in enumerate(texts):
        words = [
            word for word in re.findall(r"[A-Za-z]{3,}", text) if word.lower() not in STOP_WORDS
        ]
        size = chance.randint(2, 8)
        if at % 8 == 0 and names:
            found.append(chance.choice(names))
        elif at % 8 == 1:
            found.append(text)
        elif len(words) >= size:
            start = chance.randrange(len(words) - size + 1)
            found.append(" ".join(words[start : start + size]))
        if len(found) == count:
            return found
    raise ValueError(f"{len(texts)} sentences make only {len(found)} questions, not {count}")


def drawn(size: int, count: int = ASKED) -> tuple[list[str], list[str], list[str]]:
    """Return texts to store, similar texts, and questions, the same in every run."""
    texts = many_sentences(size + 3 * count)
    random.Random(11).shuffle(texts)
    stored, other = texts[:size], texts[size:]
    return stored, other, questions(other, stored, count)


def load(path: Path, texts: Sequence[str], settings: Settings = STATIC) -> Cost:
    """Import texts into a new store as fast as possible and return the cost."""
    rows = [
        {"ns": NS, "key": f"key-{number}", "content": text, "version": 1}
        for number, text in enumerate(texts)
    ]
    with Ghost.open(path, settings=settings) as ghost:
        return cost(lambda: ghost.import_([json.dumps(rows)]))


def search(plan: Plan) -> Section:
    """Search namespaces of several sizes, warm, with questions embedded in advance."""
    stored, _, asked = drawn(max(plan.sizes))
    ready = Ready(StaticEmbedder(), asked)
    ghosts: dict[int, Ghost] = {}
    try:
        for size in plan.sizes:
            path = plan.folder / f"search-{size}.db"
            load(path, stored[:size])
            ghosts[size] = Ghost.open(path, settings=STATIC)
            ghosts[size].store.vectoriser.get()
            ghosts[size].store.vectoriser._embedders[""] = ready
            for text in asked[:20]:
                ghosts[size].search(text, NS)
        found = _ask(ghosts, asked)
        agreement = {size: _agreement(ghost, ready, asked) for size, ghost in ghosts.items()}
    finally:
        for ghost in ghosts.values():
            ghost.close()
    memory = {size: _memory(plan.folder / f"search-{size}.db", asked[:20]) for size in plan.sizes}
    embedding = cpu_ms(
        [cost(lambda text=text: StaticEmbedder.embed(_static(), [text])) for text in asked]  # type: ignore[misc]
    )
    return _told(found, agreement, memory, embedding)


_kept: list[StaticEmbedder] = []


def _static() -> StaticEmbedder:
    if not _kept:
        _kept.append(StaticEmbedder())
    return _kept[0]


def _ask(ghosts: dict[int, Ghost], asked: Sequence[str]) -> dict[int, list[Cost]]:
    """Ask each question of each size in turn, three times over, and keep each question's median."""
    found: dict[int, list[Cost]] = {size: [] for size in ghosts}
    for text in asked:
        works = {
            str(size): lambda ghost=ghost: cost(lambda: ghost.search(text, NS))  # noqa: B023
            for size, ghost in ghosts.items()
        }
        for name, costs in interleaved(works, 3).items():
            found[int(name)].append(sorted(costs, key=lambda each: each.cpu)[1])
    return found


def _agreement(ghost: Ghost, ready: Ready, asked: Sequence[str]) -> float:
    """Return how many of the twenty nearest chunks are among the retriever's first twenty."""
    with ghost.store.engine.read() as tx:
        model = tx.vectors.find(ready.model, ready.dimension, CHUNKER)
        assert model is not None
        view = tx.vectors.view(model, tx.search.spaces([NS])[0])
    full = view.rows.astype(np.float32)
    shares = []
    for text in asked:
        query = ready.embed([text])[0]
        exact = set(view.ids[np.argsort(-(full @ query), kind="stable")[:20]].tolist())
        shares.append(len(exact & set(view.nearest(query, 240)[:20])) / 20)
    return float(np.mean(shares))


_RESIDENT = """
import json, sys
from ghostmem import Ghost, Settings
path, asked = json.loads(sys.argv[1])
def now():
    with open("/proc/self/status") as stream:
        return next(int(line.split()[1]) for line in stream if line.startswith("VmRSS"))
with Ghost.open(path, settings=Settings(embed_provider="static")) as ghost:
    ghost.store.vectoriser.get().embed(asked)
    before = now()
    for text in asked:
        ghost.search(text, "bench:search")
    print(json.dumps([before, now()]))
"""


def _memory(path: Path, asked: Sequence[str]) -> tuple[float, float]:
    """Return the resident megabytes of a process with the model loaded, and after it has searched.

    Zeros where unknown.
    """
    if not os.path.exists("/proc/self/status"):
        return 0.0, 0.0
    before, after = json_of_python("-c", _RESIDENT, json.dumps([str(path), list(asked)]))
    return before / 1024, after / 1024


def _told(
    found: dict[int, list[Cost]],
    agreement: dict[int, float],
    memory: dict[int, tuple[float, float]],
    embedding: float,
) -> Section:
    least, most = min(found), max(found)
    data: dict[str, Any] = {"queries": ASKED, "query_embedding_ms": round(embedding, 3)}
    rows = []
    for size, costs in found.items():
        p50, p95 = cpu_ms(costs), cpu_p95_ms(costs)
        data[str(size)] = {
            "p50_ms": round(p50, 2),
            "p95_ms": round(p95, 2),
            "p95_over_p50": round(p95 / p50, 2),
            "wall_p50_ms": round(wall_ms(costs), 2),
            "recall20": round(agreement[size], 4),
            "rss_mb": round(memory[size][1], 1),
            "rss_before_mb": round(memory[size][0], 1),
        }
        rows.append(
            (f"search in {size:,}, p50", f"{p50:.2f} ms", f"{p50 / cpu_ms(found[least]):.2f}", "")
        )
        rows.append(
            (f"search in {size:,}, p95 over p50", f"{p95:.2f} ms", f"{p95 / p50:.2f}", "≤ 3")
        )
        rows.append(
            (f"recall@20 of the vector leg in {size:,}", "", f"{agreement[size]:.4f}", "≥ 0.98")
        )
        rows.append((f"resident memory in {size:,}", f"{memory[size][1]:.0f} MB", "", ""))
    data["ratio"] = round(cpu_ms(found[most]) / cpu_ms(found[least]), 2)
    rows.append(
        (
            f"search in {most:,} over {least:,}",
            f"{cpu_ms(found[most]):.2f} ms",
            f"{data['ratio']:.2f}",
            "≤ 6, ≤ 25 ms",
        )
    )
    return Section(data, rows)


_BARE = """
import numpy as np, onnxruntime
{imports}
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
options.enable_mem_reuse = False
session = onnxruntime.InferenceSession({model!r}, options, providers=["CPUExecutionProvider"])
ids = np.array([{encode}], np.int64)
session.run(None, {{"input_ids": ids, "attention_mask": np.ones_like(ids)}})
"""
QUESTION = "how are the arguments of a command parsed"


def _bare() -> str:
    """Write a minimal script that embeds one question with the same model and threads."""
    folder = Path(ghostmem.__file__).parent / "embed" / "data"
    if find_spec("tokenizers"):
        imports = (
            "import tokenizers\nwords = "
            f"tokenizers.Tokenizer.from_file({str(folder / 'tokenizer.json')!r})"
        )
        encode = f"words.encode({QUESTION!r}).ids"
    else:
        imports = "from ghostmem.embed.wordpiece import words"
        encode = f"[101, *words().encode({QUESTION!r}), 102]"
    return _BARE.format(
        imports=imports, encode=encode, model=str(folder / "minilm-l6-v2-int8.onnx")
    )


def cold_search(plan: Plan) -> Section:
    """Run `ghost search` in new processes, and compare with minimal scripts."""
    stores = {name: str(plan.folder / f"cold-{name}.db") for name in ("none", "static", "local")}
    for name, path in stores.items():
        load(Path(path), sentences(100), Settings(embed_provider=name))
    bare = plan.folder / "bare.py"
    bare.write_text(_bare(), encoding="utf-8")
    env = plain_env()

    def searching(name: str) -> Callable[[], Cost]:
        command = [str(GHOST), "--db", stores[name], "search", "-n", NS, QUESTION]
        return lambda: child_cost(command, {**env, "GHOST_EMBED_PROVIDER": name})

    works = {
        "import click, apsw": lambda: child_cost([sys.executable, "-c", "import click, apsw"], env),
        "import numpy": lambda: child_cost(
            [sys.executable, "-c", "import click, apsw, numpy"], env
        ),
        "bare embedding": lambda: child_cost([sys.executable, bare], env),
        **{name: searching(name) for name in stores},
    }
    interleaved(works, 1)  # once for the file cache
    found = {name: cpu_ms(costs) for name, costs in interleaved(works, plan.runs).items()}
    data: dict[str, Any] = {
        name.replace(", ", "_").replace(" ", "_"): {"ms": round(ms, 1)}
        for name, ms in found.items()
    }
    rows = []
    for base, name, aim in (
        ("import click, apsw", "none", "≤ 1.8"),
        ("import numpy", "static", ""),
        ("bare embedding", "local", "≤ 1.5"),
    ):
        data[name]["ratio"] = round(found[name] / found[base], 2)
        rows.append((f"cold {base}", f"{found[base]:.1f} ms", "1.00", ""))
        rows.append(
            (
                f"cold ghost search, {name}",
                f"{found[name]:.1f} ms",
                f"{data[name]['ratio']:.2f}",
                aim,
            )
        )
    return Section(data, rows)
