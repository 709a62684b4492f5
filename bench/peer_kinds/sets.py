"""The corpus on disk for drivers: lines of [key, text] and the vectors of the static model."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.peer_kinds.corpus import Question, corpus, extra

DIMENSION = 256
EXTRA = 5_000  # memories for single puts, beyond the corpus


@dataclass(frozen=True)
class Sets:
    """Where the memories, the memories for single puts and the questions are, and the answers."""

    memories: str
    extra: str
    questions: str
    asked: list[Question]
    size: int


def make(work: Path, size: int, model: str = "static") -> Sets:
    """Write the sets unless they are there, and return where they are."""
    found = corpus(size)
    asked = [(question.key, question.text) for question in found.questions]
    parts = {"memories": found.memories, "extra": extra(EXTRA), "questions": asked}
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]
    folder = work / "sets" / f"{digest}-{model}-{len(found.memories)}"
    if not (folder / "done").exists():
        folder.mkdir(parents=True, exist_ok=True)
        for name, items in parts.items():
            _write(folder / name, items, model)
        (folder / "done").touch()
    memories, others, questions = (str(folder / name) for name in parts)
    return Sets(memories, others, questions, found.questions, len(found.memories))


def _write(path: Path, items: Sequence[tuple[str, str]], model: str) -> None:
    from ghostmem.embed.choose import choose
    from ghostmem.settings import Settings

    embedder = choose(Settings(embed_provider=model))
    with (
        path.with_suffix(".jsonl").open("w", encoding="utf-8") as lines,
        path.with_suffix(".f32").open("wb") as vectors,
    ):
        for start in range(0, len(items), 1_000):
            part = items[start : start + 1_000]
            lines.writelines(json.dumps(item, ensure_ascii=False) + "\n" for item in part)
            if embedder is not None:
                vectors.write(embedder.embed([text for _, text in part]).astype("<f4").tobytes())
    path.with_suffix(".dim").write_text(str(embedder.dimension if embedder else 0))
