"""Measure recall of search: `python -m bench.recall --dataset locomo --path FILE [--json]`.

Every turn, session or document is put through the public API and every question is one search with
limit 100; all other settings are the shipped defaults. Strong hits count first and weaker ones
after them; `strong` reports the strong hits alone. `--absent` asks each conversation the next one's
questions (the same topics, other people) and `--offtopic FILE` asks it questions about other
subjects (JSON lines with a `question`); both report how often nothing is answered."""

import argparse
import json
import re
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from math import log2
from pathlib import Path
from typing import Any

from ghostmem import Ghost
from ghostmem.settings import load

LIMIT = 100
Item = dict[str, Any]


class Conversation:
    """Turns to remember, questions to ask, and the time at which they are asked."""

    def __init__(self, name: str, turns: list[Item], questions: list[Item], now: datetime) -> None:
        self.name, self.turns, self.questions, self.now = name, turns, questions, now


def read_locomo(path: Path) -> Iterator[Conversation]:
    """Read LoCoMo's JSON: sessions of turns, and questions with their evidence turns."""
    for sample in json.loads(path.read_text(encoding="utf-8")):
        talk = sample["conversation"]
        turns: list[Item] = []
        numbers = sorted(int(m[1]) for key in talk if (m := re.fullmatch(r"session_(\d+)", key)))
        for number in numbers:
            at = datetime.strptime(
                talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y"
            ).replace(tzinfo=UTC)
            for turn in talk[f"session_{number}"]:
                caption = turn.get("blip_caption")
                text = turn["text"] + (f" [image: {caption}]" if caption else "")
                turns.append(
                    {
                        "id": turn["dia_id"],
                        "scope": f"session-{number}",
                        "user": turn["speaker"],
                        "text": text,
                        "at": at,
                    }
                )
        questions = [
            {
                "text": item["question"],
                "turns": {
                    found
                    for text in item.get("evidence", [])
                    for found in re.findall(r"D\d+:\d+", str(text))
                },
                "category": item["category"],
            }
            for item in sample["qa"]
        ]
        yield Conversation(
            str(sample["sample_id"]), turns, [q for q in questions if q["turns"]], turns[-1]["at"]
        )


def read_longmemeval(path: Path) -> Iterator[Conversation]:
    """Read LongMemEval's JSON: a haystack of sessions for each question or list of questions."""
    for number, sample in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        turns: list[Item] = []
        for session, name, date in zip(
            sample["haystack_sessions"],
            sample["haystack_session_ids"],
            sample["haystack_dates"],
            strict=True,
        ):
            at = _loose_date(date)
            turns += [
                {
                    "id": f"{name}/{place}",
                    "scope": name,
                    "user": turn["role"],
                    "text": turn["content"],
                    "at": at,
                }
                for place, turn in enumerate(session)
                if turn["content"].strip()
            ]
        listed = "questions" in sample
        texts = sample["questions"] if listed else [sample["question"]]
        answers = sample["answer_session_ids"] if listed else [sample["answer_session_ids"]]
        questions = [
            {
                "text": text if isinstance(text, str) else text["question"],
                "sessions": set(found),
                "category": sample.get("question_type", ""),
            }
            for text, found in zip(texts, answers, strict=True)
            if found and not str(sample.get("question_id", "")).endswith("_abs")
        ]
        now = (
            _loose_date(sample["question_date"])
            if sample.get("question_date")
            else max(turn["at"] for turn in turns)
        )
        yield Conversation(f"q{number}", turns, questions, now)


def _loose_date(text: str) -> datetime:
    found = re.search(r"(\d{4})\D(\d{1,2})\D(\d{1,2})(?:\D+(\d{1,2}):(\d\d))?", text)
    if found is None:
        return datetime(2024, 1, 1, tzinfo=UTC)
    year, month, day, hour, minute = (int(part or 0) for part in found.groups())
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


def read_beir(path: Path) -> Iterator[Conversation]:
    """Read a BEIR folder: corpus.jsonl, queries.jsonl and qrels/test.tsv."""
    rows = [
        json.loads(line)
        for line in (path / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    at = datetime(2024, 1, 1, tzinfo=UTC)
    turns = [
        {
            "id": r["_id"],
            "scope": None,
            "user": None,
            "text": f"{r.get('title', '')}\n{r['text']}".strip(),
            "at": at,
        }
        for r in rows
    ]
    relevant: dict[str, set[str]] = defaultdict(set)
    for line in (path / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if int(grade) > 0:
            relevant[query].add(document)
    queries = [
        json.loads(line)
        for line in (path / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    questions = [
        {"text": q["text"], "turns": relevant[q["_id"]], "category": "beir"}
        for q in queries
        if relevant.get(q["_id"])
    ]
    yield Conversation("corpus", [turn for turn in turns if turn["text"]], questions, at)


READERS = {"locomo": read_locomo, "longmemeval": read_longmemeval, "beir": read_beir}


def remember(ghost: Ghost, ns: str, conversation: Conversation) -> float:
    """Put every turn as an agent would, and return the seconds it took."""
    began = time.perf_counter()
    for turn in conversation.turns:
        ghost.put(
            ns,
            turn["id"],
            turn["text"],
            kind="episodic",
            created_at=turn["at"],
            source_user=turn["user"],
            source_scope=turn["scope"],
        )
    return time.perf_counter() - began


def judge(question: Item, hits: list[Any]) -> dict[str, float]:
    """Return the figures of one question."""
    ids = [hit.key for hit in hits]
    sessions = list(dict.fromkeys(hit.source_scope for hit in hits))
    found: dict[str, float] = {}
    wanted = question.get("turns")
    if wanted:
        for k in (5, 10, 20):
            found[f"r{k}"] = len(wanted & set(ids[:k])) / len(wanted)
        places = [place for place, key in enumerate(ids, 1) if key in wanted]
        found["mrr"] = 1 / places[0] if places else 0.0
        ideal = sum(1 / log2(place + 1) for place in range(1, min(10, len(wanted)) + 1))
        found["ndcg10"] = sum(1 / log2(place + 1) for place in places if place <= 10) / ideal
        found["hit5"] = float(bool(wanted & set(ids[:5])))
    wanted_sessions = question.get("sessions")
    if wanted_sessions:
        for k in (5, 10):
            got = wanted_sessions & set(sessions[:k])
            found[f"s_r{k}"], found[f"s_any{k}"] = len(got) / len(wanted_sessions), float(bool(got))
            found[f"s_all{k}"] = float(got == wanted_sessions)
        places = [place for place, name in enumerate(sessions, 1) if name in wanted_sessions]
        found["s_mrr"], found["s_hit1"] = (
            (1 / places[0] if places else 0.0),
            float(places[:1] == [1]),
        )
    return found


def mean(rows: list[dict[str, float]], prefix: str, names: str) -> dict[str, float]:
    """Return the means of some figures."""
    return (
        {
            name: round(statistics.fmean(row[prefix + name] for row in rows), 4)
            for name in names.split()
        }
        if rows
        else {}
    )


def read_questions(path: Path) -> list[str]:
    """Read questions about subjects outside the data set."""
    return [json.loads(line)["question"] for line in path.read_text(encoding="utf-8").splitlines()]


def refused(ghost: Ghost, ns: str, questions: Iterable[str]) -> list[bool]:
    """Say for each question whether a search answers it with nothing."""
    return [not ghost.search(question, ns, limit=5) for question in questions]


def run(
    dataset: str,
    path: Path,
    embed: str | None,
    most: int | None,
    absent: bool,
    offtopic: Path | None = None,
) -> dict[str, Any]:
    """Measure one dataset from an empty store on."""
    conversations = list(READERS[dataset](path))[:most]
    clock = [datetime(2024, 1, 1, tzinfo=UTC)]
    settings = load(use_file=False, embed_provider=embed)
    rows: list[dict[str, float]] = []
    categories: dict[str, list[dict[str, float]]] = defaultdict(list)
    millis: list[float] = []
    seconds = 0.0
    strong: list[
        tuple[int, float]
    ] = []  # the number of strong hits and their recall, for each question
    lost: list[bool] = []
    elsewhere: list[bool] = []
    other_subjects: list[bool] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Ghost.open(f"{folder}/recall.db", settings=settings, clock=lambda: clock[0]) as ghost,
    ):
        for number, conversation in enumerate(conversations):
            clock[0] = conversation.now
            seconds += remember(ghost, f"{dataset}:{number}", conversation)
        for number, conversation in enumerate(conversations):
            clock[0] = conversation.now
            scopes = {turn["id"]: turn["scope"] for turn in conversation.turns}
            for question in conversation.questions:
                if "turns" in question and "sessions" not in question:
                    question["sessions"] = {
                        scopes[turn] for turn in question["turns"] if scopes.get(turn)
                    }
                began = time.perf_counter()
                hits = ghost.search(question["text"], f"{dataset}:{number}", limit=LIMIT, weak=True)
                millis.append((time.perf_counter() - began) * 1000)
                row = judge(question, hits)
                if row.keys() & {"r10"} and not (
                    dataset == "locomo" and str(question["category"]) == "5"
                ):
                    first = [hit for hit in hits if not hit.weak]
                    strong.append((len(first), judge(question, first)["r10"]))
                    lost.append(not hits)
                categories[str(question["category"])].append(row)
                rows.append(row)
            if absent and len(conversations) > 1:
                others = conversations[(number + 1) % len(conversations)].questions
                elsewhere += refused(
                    ghost, f"{dataset}:{number}", (question["text"] for question in others)
                )
            if offtopic is not None:
                other_subjects += refused(ghost, f"{dataset}:{number}", read_questions(offtopic))
    counted = [
        row
        for name, found in categories.items()
        if not (dataset == "locomo" and name == "5")
        for row in found
    ]
    turn = [row for row in counted if "r10" in row]
    session = [row for row in rows if "s_r10" in row]
    figures: dict[str, Any] = {
        "dataset": dataset,
        "embed": settings.embed_provider,
        "questions": len(rows),
        "turn": mean(turn, "", "r5 r10 r20 mrr ndcg10 hit5"),
        "session": mean(session, "s_", "r5 r10 any5 all5 any10 all10 mrr hit1"),
        "by_category": {
            name: mean([row for row in found if "r10" in row], "", "r5 r10 mrr")
            for name, found in sorted(categories.items())
        },
        "ingest_s": round(seconds, 2),
        "query_ms": {
            "p50": round(statistics.median(millis), 2),
            "p95": round(sorted(millis)[int(len(millis) * 0.95)], 2),
        },
        "settings": {"fusion": settings.fusion, "abstain": settings.abstain, "limit": LIMIT},
    }
    if strong:
        figures["strong"] = {
            "r10": round(statistics.fmean(recall for _, recall in strong), 4),
            "hits": round(statistics.fmean(count for count, _ in strong), 2),
            "answerable_refused": round(statistics.fmean(lost), 4),
        }
    for name, found in (("absent", elsewhere), ("offtopic", other_subjects)):
        if found:
            figures[name] = {
                "asked": len(found),
                "answered_with_nothing": round(statistics.fmean(found), 4),
            }
    return figures


def main() -> None:
    """Read the arguments, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", choices=READERS, default="locomo")
    parser.add_argument("--path", type=Path, required=True)
    parser.add_argument("--limit-conversations", type=int)
    parser.add_argument("--embed", choices=["local", "static", "none"])
    parser.add_argument(
        "--absent", action="store_true", help="also ask each conversation the next one's questions"
    )
    parser.add_argument(
        "--offtopic", type=Path, help="also ask questions about other subjects, from this file"
    )
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    figures = run(
        arguments.dataset,
        arguments.path,
        arguments.embed,
        arguments.limit_conversations,
        arguments.absent,
        arguments.offtopic,
    )
    if arguments.json:
        print(json.dumps(figures))
        return
    print(f"{figures['dataset']}, {figures['questions']} questions, embed {figures['embed']}")
    for name in (
        "turn",
        "session",
        "query_ms",
        *({"strong", "absent", "offtopic"} & figures.keys()),
    ):
        print(f"  {name:10}", "  ".join(f"{key} {value}" for key, value in figures[name].items()))
    for name, found in figures["by_category"].items():
        print(f"  category {name}:", "  ".join(f"{key} {value}" for key, value in found.items()))
    print(f"  ingest {figures['ingest_s']} s")


if __name__ == "__main__":
    main()
