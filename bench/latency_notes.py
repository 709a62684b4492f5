"""Measure 10,000 notes: the scan before a search, one edit, and a rebuilt index."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.corpus import many_sentences
from bench.timing import Cost, Plan, Section, cost, cpu_ms
from ghostmem import Ghost, Settings
from ghostmem.embed.static import StaticEmbedder
from ghostmem.model import NsFilter
from ghostmem.notes.refresh import refresh

NOTES, FOLDERS = 10_000, 100
QUESTIONS = 25
_STATIC = Settings(embed_provider="static")


def noting(plan: Plan) -> Section:
    """Write notes of real sentences, search them, edit one, and compare with a rebuilt index."""
    root = plan.folder / "vault"
    texts = many_sentences(NOTES * 3)
    _write(root, texts)
    questions = [" ".join(text.split()[:8]) for text in texts[:: len(texts) // QUESTIONS]][
        :QUESTIONS
    ]
    counted = _Counted()
    with Ghost.open(plan.folder / "notes.db", embedder=counted, settings=_STATIC) as ghost:
        added = cost(lambda: ghost.notes.add(root))
        looks = [cost(lambda: refresh(ghost.store, NsFilter())) for _ in range(plan.runs)]
        whole = ghost.admin.embed_status().chunks
        counted.texts.clear()
        note = root / "folder-7" / "note-7.md"
        note.write_text(
            note.read_text(encoding="utf-8") + "\nThe quixotic zeppelin landed at dawn.\n",
            encoding="utf-8",
        )
        edited = cost(lambda: _must_find(ghost, "where did the quixotic zeppelin land?"))
        embedded = [text for text in counted.texts if "?" not in text]
        before = [_answer(ghost, question) for question in questions]
    with Ghost.open(plan.folder / "again.db", embedder=counted, settings=_STATIC) as ghost:
        ghost.notes.add(root)
        same = sum(
            _answer(ghost, question) == known
            for question, known in zip(questions, before, strict=True)
        )
    shutil.rmtree(root)
    data: dict[str, Any] = {
        "notes": NOTES,
        "chunks": whole,
        "add_cpu_s": round(added.cpu, 1),
        "look_cpu_ms": round(cpu_ms(looks), 1),
        "edit_and_search_cpu_ms": round(edited.cpu * 1000, 1),
        "embedded_after_edit": len(embedded),
        "same_answers": same,
        "questions": len(questions),
    }
    return Section(data, _rows(data, looks))


def _rows(data: dict[str, Any], looks: Sequence[Cost]) -> list[tuple[str, str, str, str]]:
    return [
        (
            f"notes: add {NOTES:,}, {data['chunks']:,} chunks, static vectors and links",
            f"{data['add_cpu_s']} s",
            "",
            "",
        ),
        (f"notes: look at {NOTES:,} before a search", f"{cpu_ms(looks):.1f} ms", "", "< 100 ms"),
        ("notes: one edited, then a search", f"{data['edit_and_search_cpu_ms']} ms", "", ""),
        ("notes: chunks embedded after that edit", str(data["embedded_after_edit"]), "", "1"),
        (
            "notes: answers like before from an index made anew",
            f"{data['same_answers']}",
            "",
            str(data["questions"]),
        ),
    ]


class _Counted:
    """The static model with a record of the texts it embedded."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._model = StaticEmbedder()

    def __call__(self, texts: Sequence[str]) -> Any:
        self.texts += texts
        return self._model.embed(list(texts))


def _write(root: Path, texts: list[str]) -> None:
    for number in range(NOTES):
        folder = root / f"folder-{number % FOLDERS}"
        folder.mkdir(parents=True, exist_ok=True)
        first, second, third = texts[number * 3 : number * 3 + 3]
        text = f"# Note {number}\n\n{first}\n\n{second}\n\n## More\n\n{third}\n"
        (folder / f"note-{number // FOLDERS}.md").write_text(text, encoding="utf-8")


def _must_find(ghost: Ghost, question: str) -> None:
    hits = ghost.search(question)
    if not hits or "zeppelin" not in hits[0].content:
        raise AssertionError("the edit was not found")


def _answer(ghost: Ghost, question: str) -> list[tuple[str, float, int | None]]:
    return [(hit.key, hit.score, hit.line) for hit in ghost.search(question, limit=10)]
