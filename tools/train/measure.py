"""Measure a judge on labelled examples: shares, and what is reached at a wanted precision."""

from typing import Any

import numpy as np
from tools.train import data


def all_tasks(judge: Any, examples: data.Examples) -> dict[str, Any]:
    """Return the figures of every task that has examples."""
    from tools.train.judge import logits

    found: dict[str, Any] = {}
    if examples.verdicts:
        rows = logits(judge, "verdict", [(p.first, p.second) for p in examples.verdicts])
        found |= verdicts(softmax(rows), np.array([p.label for p in examples.verdicts]))
    for task, pairs in (("capture", examples.captures), ("injection", examples.injections)):
        if pairs:
            rows = logits(judge, task, [(p.first, p.second) for p in pairs])[:, 0]
            found |= yes_or_no(task, sigmoid(rows), np.array([p.label for p in pairs]) > 0)
    if examples.questions:
        asked = [(q.query, text) for q in examples.questions for text in q.memories]
        found |= questions(logits(judge, "relevance", asked)[:, 0], examples.questions)
    return found


def softmax(rows: Any) -> Any:
    """Return the probabilities of rows of logits."""
    powers = np.exp(rows - rows.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def sigmoid(values: Any) -> Any:
    """Return the probabilities of logits."""
    return 1 / (1 + np.exp(-values))


def recall_at_precision(scores: Any, truth: Any, precision: float) -> float:
    """Return the largest recall of a threshold that reaches a precision."""
    order = np.argsort(-scores)
    hits = np.cumsum(truth[order])
    precise = hits / np.arange(1, len(order) + 1) >= precision
    return float((hits[precise].max() if precise.any() else 0) / max(1, truth.sum()))


def verdicts(chances: Any, labels: Any) -> dict[str, Any]:
    """Return the accuracy, precision and recall of each label, and what corrections reach."""
    best = chances.argmax(1)
    found: dict[str, Any] = {"accuracy": _round((best == labels).mean())}
    for number, name in enumerate(data.LABELS):
        hits = ((best == number) & (labels == number)).sum()
        found[name] = (
            _round(hits / max(1, (best == number).sum())),
            _round(hits / max(1, (labels == number).sum())),
        )
    corrects = chances[:, 2] + chances[:, 3]
    for precision in (0.9, 0.95):
        found[f"corrections at {precision}"] = _round(
            recall_at_precision(corrects, labels >= 2, precision)
        )
    return found


def yes_or_no(task: str, chances: Any, truth: Any) -> dict[str, Any]:
    """Return precision and recall at .5, and the recall at a share of false alarms."""
    kept = chances > 0.5
    found: dict[str, Any] = {
        task: (
            _round((kept & truth).sum() / max(1, kept.sum())),
            _round((kept & truth).sum() / max(1, truth.sum())),
        )
    }
    if task == "capture":
        found["capture at .88"] = _round(recall_at_precision(chances, truth, 0.88))
    for share in (0.01, 0.03):
        least = np.quantile(chances[~truth], 1 - share)
        found[f"{task} at {share} false"] = _round((chances[truth] > least).mean())
    return found


def questions(scores: Any, asked: list[data.Question]) -> dict[str, Any]:
    """Return, by kind, the recall in the first three, and how many absent ones are refused."""
    at = 0
    kinds: dict[str, list[float]] = {}
    tops: list[float] = []
    absent: list[float] = []
    for question in asked:
        part = scores[at : at + len(question.memories)]
        at += len(question.memories)
        if not question.relevant:
            absent.append(float(part.max()))
            continue
        first = np.argsort(-part)[: max(3, len(question.relevant))].tolist()
        share = len(set(first) & set(question.relevant)) / len(question.relevant)
        kinds.setdefault(question.kind, []).append(share)
        tops.append(float(part[question.relevant].max()))
    found: dict[str, Any] = {
        kind: _round(np.mean(shares)) for kind, shares in sorted(kinds.items())
    }
    for loss in (0.01, 0.05):
        least = np.quantile(tops, loss)
        found[f"absent refused at {loss}"] = _round((np.array(absent) < least).mean())
    return found


def _round(value: Any) -> float:
    return round(float(value), 3)
