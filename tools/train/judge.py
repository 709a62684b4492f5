"""Train the judge: one encoder that reads one text or two, and one small head for each task.

    python -m tools.train.judge warm build/train/warm
    python -m tools.train.judge train build/train/seed0 --start build/train/warm --seed 0
    python -m tools.train.judge mean build/train/judge build/train/seed*

`warm` trains on public inference pairs alone, `train` continues with our own sentences and public
questions and attacks, and `mean` averages the weights of several seeds. With `--hold author3` that
author is left out of training and measured; `--dev FOLDER` measures a set that is never trained
on."""

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from tools.train import data, measure, public, templates
from tools.train.encoder import (
    DEVICE,
    END,
    START,
    WIDTH,
    build_encoder,
    encode,
    mean_weights,
    padded,
    save_weights,
)
from tools.train.weights import load_weights

HEADS = {"verdict": 4, "capture": 1, "injection": 1, "relevance": 1, "inference": 3}
# of the labels of verdicts in a batch, the last for corrections of which the kind is not said
LABEL_SHARES = (0.32, 0.2, 0.2, 0.16, 0.12)
HIDDEN = 128  # width of the inner layer of a head
LIMITS = {  # tokens of the first and the second text
    "verdict": (96, 96),
    "capture": (64, 128),
    "injection": (192, 0),
    "relevance": (48, 96),
    "inference": (64, 64),
}


@dataclass(frozen=True)
class Recipe:
    """The settings of a training run."""

    lr: float = 5e-5
    steps: int = 3600
    batch: int = 64
    dropout: float = 0.1
    smoothing: float = 0.05
    swap: float = 0.0  # how often a pair with a symmetric label is turned around
    foreign: float = 0.02  # how often a pair is replaced by two unrelated texts
    templates: float = 0.0  # how often a pair is replaced by one made from templates
    attacks: float = 0.15  # share of public texts among those that may be attacks
    dialogues: float = 1.0  # weights of the tasks
    verdict: float = 3.0
    relevance: float = 2.0
    capture: float = 1.5
    injection: float = 1.5
    questions: int = 8  # in a batch
    lists: float = 0.3  # weight of a memory's place among the others of its namespace


class Judge(torch.nn.Module):
    """The encoder with a head for each task, which reads the mean of the states and the first."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.encoder = build_encoder(dropout=dropout)
        self.encoder.embeddings.word_embeddings.weight.requires_grad_(False)
        self.heads = torch.nn.ModuleDict(
            {
                name: torch.nn.Sequential(
                    torch.nn.Linear(2 * WIDTH, HIDDEN),
                    torch.nn.Tanh(),
                    torch.nn.Dropout(dropout),
                    torch.nn.Linear(HIDDEN, size),
                )
                for name, size in HEADS.items()
            }
        )

    def forward(self, task: str, pairs: Sequence[tuple[str, str | None]]) -> torch.Tensor:
        """Return the logits of a task for some pairs."""
        ids, mask, types = self.inputs(task, pairs)
        states = self.encoder(
            input_ids=ids, attention_mask=mask, token_type_ids=types
        ).last_hidden_state.float()
        weight = mask[..., None].float()
        mean = (states * weight).sum(1) / weight.sum(1)
        logits: torch.Tensor = self.heads[task](torch.cat([mean, states[:, 0]], 1))
        return logits

    def inputs(
        self, task: str, pairs: Sequence[tuple[str, str | None]]
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return token ids, mask and token types."""
        rows, masks, types = [], [], []
        for first_text, second_text in pairs:
            first = cached(first_text, LIMITS[task][0])
            second = [] if second_text is None else cached(second_text, LIMITS[task][1])
            row = [START, *first, END, *([*second, END] if second_text is not None else [])]
            types.append([0] * (len(first) + 2) + [1] * (len(row) - len(first) - 2))
            rows.append(row)
            masks.append([1] * len(row))
        return padded(rows), padded(masks), padded(types)


_IDS: dict[tuple[str, int], list[int]] = {}


def cached(text: str, limit: int) -> list[int]:
    """Return the ids of a text, made once."""
    key = (text, limit)
    if key not in _IDS:
        _IDS[key] = encode(text, limit)
    return _IDS[key]


class Batches:
    """Random batches of each task, with their losses."""

    def __init__(self, recipe: Recipe, examples: data.Examples, seed: int) -> None:
        self.recipe = recipe
        self.examples = examples
        self.random = random.Random(seed)
        self.dialogues = public.dialogues() if recipe.dialogues else []
        self.attacks = public.attacks() if recipe.attacks else []
        self.templates = templates.templates()
        self.texts = [pair.first for pair in examples.verdicts]
        counts = Counter(pair.label for pair in examples.verdicts)
        self.shares = [LABEL_SHARES[pair.label] / counts[pair.label] for pair in examples.verdicts]

    def tasks(self) -> Iterator[str]:
        """Yield the task of each step."""
        names = ["verdict", "relevance", "capture", "injection", "dialogues"]
        weights = [getattr(self.recipe, name) for name in names]
        for _ in range(self.recipe.steps):
            yield self.random.choices(names, weights)[0]

    def loss(self, judge: Judge, task: str) -> torch.Tensor:
        """Return the loss of a random batch."""
        return getattr(self, f"_{task}")(judge)  # type: ignore[no-any-return]

    def _verdict(self, judge: Judge) -> torch.Tensor:
        pairs = []
        for first, second, label in self.random.choices(
            self.examples.verdicts, self.shares, k=self.recipe.batch
        ):
            if self.random.random() < self.recipe.templates:
                first, second, label = templates.sample(self.templates, self.random)
            elif self.random.random() < self.recipe.foreign:
                second, label = self.random.choice(self.texts), 0
            elif label in (0, 1, 3) and self.random.random() < self.recipe.swap:
                first, second = str(second), first
            pairs.append(data.Pair(first, second, label))
        return class_loss(judge, "verdict", pairs, self.recipe)

    def _capture(self, judge: Judge) -> torch.Tensor:
        return self._yes(judge, "capture", self.examples.captures)

    def _injection(self, judge: Judge) -> torch.Tensor:
        share = self.recipe.attacks
        is_public = self.attacks and self.random.random() < share
        return self._yes(
            judge, "injection", self.attacks if is_public else self.examples.injections
        )

    def _yes(self, judge: Judge, task: str, examples: Sequence[data.Pair]) -> torch.Tensor:
        pairs = self.random.choices(examples, k=self.recipe.batch)
        logits = judge(task, [(pair.first, pair.second) for pair in pairs])[:, 0]
        smoothing = self.recipe.smoothing / 2
        labels = torch.tensor(
            [abs(pair.label - smoothing) for pair in pairs], device=DEVICE, dtype=torch.float32
        )
        return F.binary_cross_entropy_with_logits(logits, labels)

    def _relevance(self, judge: Judge) -> torch.Tensor:
        questions = self.examples.questions
        weights = [question.weight for question in questions]
        return self._ranking(
            judge, self.random.choices(questions, weights, k=self.recipe.questions)
        )

    def _dialogues(self, judge: Judge) -> torch.Tensor:
        return self._ranking(judge, [public.sample(self.dialogues, self.random) for _ in range(12)])

    def _ranking(self, judge: Judge, questions: Sequence[data.Question]) -> torch.Tensor:
        """Judge each memory by itself, and in addition against the others of its namespace."""
        pairs = [(question.query, text) for question in questions for text in question.memories]
        labels = [
            float(number in question.relevant)
            for question in questions
            for number in range(len(question.memories))
        ]
        logits = judge("relevance", pairs)[:, 0]
        target = torch.tensor(labels, device=DEVICE)
        loss = F.binary_cross_entropy_with_logits(
            logits, target, pos_weight=torch.tensor(3.0, device=DEVICE)
        )
        lists = []
        at = 0
        for question in questions:
            part = logits[at : at + len(question.memories)]
            if question.relevant:
                wanted = part[torch.tensor(question.relevant, device=DEVICE)]
                lists.append(torch.logsumexp(part, 0) - torch.logsumexp(wanted, 0))
            at += len(question.memories)
        return loss + self.recipe.lists * torch.stack(lists).mean() if lists else loss


def class_loss(judge: Judge, task: str, pairs: Sequence[data.Pair], recipe: Recipe) -> torch.Tensor:
    """Return the loss of a batch with several labels."""
    logits = judge(task, [(pair.first, pair.second) for pair in pairs])
    labels = torch.tensor([pair.label for pair in pairs], device=DEVICE)
    if task == "verdict" and data.CORRECTION in labels:
        both = torch.logsumexp(logits[:, data.UPDATE_OR_CONFLICT], 1) - torch.logsumexp(logits, 1)
        is_known = labels != data.CORRECTION
        known = F.cross_entropy(
            logits[is_known], labels[is_known], label_smoothing=recipe.smoothing, reduction="sum"
        )
        return (known - both[~is_known].sum()) / len(labels)
    return F.cross_entropy(logits, labels, label_smoothing=recipe.smoothing)


def warm(judge: Judge, recipe: Recipe) -> None:
    """Train a judge on public inference pairs."""
    pairs, chance = public.inference(), random.Random(0)
    optimise(
        judge,
        recipe,
        (
            lambda: class_loss(judge, "inference", chance.choices(pairs, k=128), recipe)
            for _ in range(recipe.steps)
        ),
    )


def train(judge: Judge, recipe: Recipe, examples: data.Examples, seed: int) -> None:
    """Train a judge on all of its tasks."""
    batches = Batches(recipe, examples, seed)
    optimise(judge, recipe, (partial(batches.loss, judge, task) for task in batches.tasks()))


def optimise(judge: Judge, recipe: Recipe, losses: Iterable[Callable[[], torch.Tensor]]) -> None:
    """Take one step for each loss, with a learning rate that rises and falls once."""
    judge.train()
    weights = [weight for weight in judge.parameters() if weight.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=recipe.lr, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, recipe.lr, total_steps=recipe.steps, pct_start=0.1
    )
    for loss_of_batch in losses:
        with torch.autocast(DEVICE, torch.bfloat16):
            loss = loss_of_batch()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad(set_to_none=True)
    judge.eval()


@torch.no_grad()
def logits(judge: Judge, task: str, pairs: Sequence[tuple[str, str | None]]) -> Any:
    """Return the logits of a task for many pairs."""
    parts = [
        judge(task, pairs[at : at + 256]).float().cpu().numpy() for at in range(0, len(pairs), 256)
    ]
    return np.concatenate(parts)


def main() -> None:
    """Run one part of the training."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=("warm", "train", "mean"))
    parser.add_argument("out", type=Path, help="the weights to write, without the parts' numbers")
    parser.add_argument("sources", type=Path, nargs="*", help="for mean: the weights to average")
    parser.add_argument("--start", type=Path, help="the weights to begin with")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hold", default="")
    parser.add_argument("--skip", default="", help="authors whose verdicts are not trained on")
    parser.add_argument("--dev", type=Path)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    arguments = parser.parse_args()
    types = {field.name: type(getattr(Recipe(), field.name)) for field in fields(Recipe)}
    named = (change.partition("=") for change in arguments.set)
    recipe = replace(Recipe(), **{name: types[name](value) for name, _, value in named})
    held = [name for name in arguments.hold.split(",") if name]
    torch.manual_seed(arguments.seed)
    judge = Judge(recipe.dropout).to(DEVICE).eval()
    began = time.monotonic()
    if arguments.part == "mean":
        load_state(judge, mean_weights([tensors(path) for path in arguments.sources]))
    elif arguments.part == "warm":
        warm(judge, recipe)
    else:
        if arguments.start:
            load_state(judge, tensors(arguments.start))
        skipped = arguments.skip.split(",")
        examples = data.load((n for n in data.authors() if n not in held), skipped)
        train(judge, recipe, examples, arguments.seed)
    sets = {"held": data.load(held)} if held else {}
    if arguments.dev:
        sets["dev"] = data.load_folder(arguments.dev)
    report(judge, sets, arguments.out.name)
    print(arguments.out.name, f"{time.monotonic() - began:.0f} s", flush=True)
    save_weights(judge.state_dict(), arguments.out)


def tensors(path: Path) -> dict[str, torch.Tensor]:
    """Return saved weights."""
    return {name: torch.tensor(array) for name, array in load_weights(path).items()}


def load_state(judge: Judge, weights: Mapping[str, torch.Tensor]) -> None:
    """Set all weights of a judge but the word vectors."""
    missing = judge.load_state_dict(weights, strict=False).missing_keys
    if [name for name in missing if "word_embeddings" not in name and "position_ids" not in name]:
        raise ValueError(f"the weights lack {missing}")


def report(judge: Judge, sets: Mapping[str, data.Examples], name: str) -> None:
    """Print the figures of each set."""
    for about, examples in sets.items():
        print(name, about, json.dumps(measure.all_tasks(judge, examples)), flush=True)


if __name__ == "__main__":
    main()
