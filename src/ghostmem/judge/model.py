"""The model of the judge, in int8, run by onnxruntime."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ghostmem.embed.session import ModelSession
from ghostmem.embed.wordpiece import FOLDER, known_share, manifest, words
from ghostmem.model import VerdictKind

_START, _END = 101, 102  # the tokens [CLS] and [SEP]
_KINDS = (VerdictKind.NEW, VerdictKind.RESTATEMENT, VerdictKind.UPDATE, VerdictKind.CONFLICT)


class _Task(NamedTuple):
    """Which outputs are a task's, and how many tokens of the two texts it reads."""

    outputs: slice
    first: int
    second: int


_TASKS = {
    "verdict": _Task(slice(0, 4), 96, 96),
    "capture": _Task(slice(4, 5), 64, 128),
    "attack": _Task(slice(5, 6), 192, 0),
    "relevance": _Task(slice(6, 7), 48, 96),
}


class JudgeThresholds(NamedTuple):
    """The least probabilities that count; `tools/train/calibrate.py` chooses them."""

    restatement: float
    correction: float
    capture: float
    attack: float


class Judge:
    """Reads pairs of texts; the probabilities are calibrated."""

    def __init__(self, folder: Path = FOLDER) -> None:
        about = manifest()["judge"]
        self.model: str = about["id"]
        self.thresholds = JudgeThresholds(**about["thresholds"])
        self._temperatures: dict[str, float] = about["temperatures"]
        self._session = ModelSession(folder / "judge-int8.onnx", "set GHOST_JUDGE=off")
        self._words = words()

    def verdicts(self, new: str, old: Sequence[str]) -> list[dict[VerdictKind, float]]:
        """Return what a new text is to each of some older ones, as probabilities."""
        logits = self.logits("verdict", [(new, text) for text in old])
        powers = np.exp((logits - logits.max(1, keepdims=True)) / self._temperatures["verdict"])
        shares = powers / powers.sum(1, keepdims=True)
        return [dict(zip(_KINDS, row, strict=True)) for row in shares.tolist()]

    def captures(self, statements: Sequence[tuple[str, str]]) -> list[float]:
        """Return how likely each sentence is worth remembering; each comes with its message."""
        return self._chances("capture", statements)

    def attack(self, text: str) -> float:
        """Return how likely a text gives orders to the agent that reads it.

        Only its first 192 tokens are read; the caller divides a longer text."""
        return self._chances("attack", [(text, "")])[0]

    def relevance(
        self, query: str, texts: Sequence[str], max_tokens: int | None = None
    ) -> Iterator[float]:
        """Yield how likely each text answers a query, as long as the tokens read are few enough."""
        used = 0
        for text in texts:
            row, first = self._row("relevance", query, text)
            used += len(row)
            if max_tokens is not None and used > max_tokens:
                return
            logits = self._run_ids([row], [first])[:, _TASKS["relevance"].outputs]
            yield float(self._probabilities("relevance", logits)[0])

    def known(self, text: str) -> float:
        """Return the share of the words of a text that the judge knows."""
        return known_share(text)

    def logits(self, task: str, pairs: Sequence[tuple[str, str]]) -> Any:
        """Return the logits of a task for pairs of texts; of an attack the second text is none."""
        rows = [self._row(task, first, second) for first, second in pairs]
        logits = self._run_ids([row for row, _ in rows], [first for _, first in rows])
        return logits[:, _TASKS[task].outputs]

    def _row(self, task: str, first: str, second: str) -> tuple[list[int], int]:
        """Return the ids of a pair of texts, and the length of its first part."""
        _, first_size, second_size = _TASKS[task]
        start = [_START, *self._words.encode(first)[:first_size], _END]
        rest = [*self._words.encode(second)[:second_size], _END] if second_size else []
        return [*start, *rest], len(start)

    def _chances(self, task: str, pairs: Sequence[tuple[str, str]]) -> list[float]:
        chances: list[float] = self._probabilities(task, self.logits(task, pairs)).tolist()
        return chances

    def _probabilities(self, task: str, logits: Any) -> Any:
        return 1 / (1 + np.exp(-logits[:, 0] / self._temperatures[task]))

    def _run_ids(self, rows: Sequence[Sequence[int]], firsts: Sequence[int]) -> Any:
        """Return all logits of rows of ids; `firsts` are the lengths of their first texts.

        Each row runs by itself, because batches are slower on a CPU."""
        logits = np.zeros((len(rows), 7), np.float32)
        for number, (row, first) in enumerate(zip(rows, firsts, strict=True)):
            ids = np.array([row], np.int64)
            types = np.zeros_like(ids)
            types[:, first:] = 1
            mask = np.ones_like(ids)
            inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
            logits[number] = self._session.run(inputs)[0]
        return logits
