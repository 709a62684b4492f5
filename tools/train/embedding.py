"""Tune the embedding model on questions about dialogues and on short facts.

    python -m tools.train.embedding --out FOLDER [--seeds 3] [--set lr=3e-5]

A question must be nearer to the turn that answers it than to the other turns, as search scores
them: mixed with their neighbours. Similarities of other texts must stay those of the original
model. The weights of the seeds are averaged; `export` mixes them with the original ones. The word
vectors are not changed, so that the models in the package share them."""

import argparse
import random
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from tools.train import data, public
from tools.train.encoder import (
    DEVICE,
    END,
    START,
    build_encoder,
    encode,
    mean_weights,
    padded,
    save_weights,
)


@dataclass(frozen=True)
class Recipe:
    """The settings of a training run."""

    lr: float = 3e-5
    steps: int = 700
    questions: int = 96  # of dialogues, in a step
    facts: int = 24  # questions about small namespaces in a step
    restatements: int = 48  # pairs that say the same in a step
    window: int = 14  # turns of each dialogue in a step
    temperature: float = 0.05
    similarity: float = 20.0  # weight of the original similarities
    anchor: float = 1.0  # weight of the original vectors
    short: float = 0.5  # weight of facts and restatements


class Training:
    """The examples, as token ids."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.dialogues = public.dialogues()
        self.turns = [
            [encode(public.turn_text(*turn), 80) for turn in dialogue["t"]]
            for dialogue in self.dialogues
        ]
        self.asked: list[tuple[int, list[int], list[int], list[int]]] = []
        for number, dialogue in enumerate(self.dialogues):
            names = [speaker for speaker, _ in dialogue["t"]]
            for question, evidence, *_ in dialogue["q"]:
                bare = encode(without_names(question, names), 48)
                self.asked.append((number, evidence, bare, encode(question, 48)))
        weights = {"sgd": 0.4, "molweni": 0.6}
        self.shares = [weights.get(self.dialogues[number]["s"], 1.0) for number, *_ in self.asked]
        examples = data.load(data.authors())
        self.facts = [question for question in examples.questions if question.relevant]
        self.same = [pair for pair in examples.verdicts if pair.label == 1]
        texts = [pair.first for pair in examples.verdicts] + [
            str(pair.second) for pair in examples.verdicts
        ]
        flat = [ids for turns in self.turns for ids in turns]
        self.others = [encode(text, 64) for text in texts] + self.random.sample(
            flat, min(len(flat), 40_000)
        )
        self.others = [ids for ids in self.others if len(ids) > 3]


def without_names(question: str, names: Sequence[str]) -> str:
    """Return a question without the names of the speakers, as search embeds it."""
    parts = {part for name in names for part in name.split() if len(part) > 1}
    if not parts:
        return question
    longest_first = sorted(map(re.escape, parts), key=len, reverse=True)
    pattern = rf"\b(?:{'|'.join(longest_first)})(?:['’]s)?\b"
    bare = re.sub(pattern, "", question, flags=re.IGNORECASE)
    return bare if any(char.isalnum() for char in bare) else question


def vectors(encoder: Any, rows: Sequence[Sequence[int]]) -> torch.Tensor:
    """Return unit vectors of rows of ids, padded by groups of similar length."""
    order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    made = []
    for at in range(0, len(order), 512):
        part = [[START, *rows[number], END] for number in order[at : at + 512]]
        mask = padded([[1] * len(row) for row in part])
        with torch.autocast(DEVICE, torch.bfloat16):
            states = encoder(input_ids=padded(part), attention_mask=mask).last_hidden_state
        weight = mask[..., None].float()
        made.append(F.normalize((states.float() * weight).sum(1) / weight.sum(1), dim=1))
    places = torch.empty(len(order), dtype=torch.long)
    places[torch.tensor(order)] = torch.arange(len(order))
    return torch.cat(made)[places.to(DEVICE)]


def dialogue_loss(encoder: Any, training: Training, recipe: Recipe) -> torch.Tensor:
    """Return the loss of a batch of questions against the turns of all their dialogues."""
    chance = training.random
    asked = chance.choices(training.asked, training.shares, k=recipe.questions)
    needed: dict[int, set[int]] = {}
    for number, evidence, *_ in asked:
        count, chosen = len(training.turns[number]), needed.setdefault(number, set())
        for turn in chance.sample(evidence, 2) if len(evidence) > 2 else evidence:
            chosen.update(near for near in range(turn - 2, turn + 3) if 0 <= near < count)
        left = [turn for turn in range(count) if turn not in chosen]
        chosen.update(chance.sample(left, min(len(left), max(0, recipe.window - len(chosen)))))
    keys = [(number, turn) for number, turns in needed.items() for turn in sorted(turns)]
    places = {key: place for place, key in enumerate(keys)}
    ids = [training.turns[number][turn] for number, turn in keys]
    queries = [bare if chance.random() < 0.85 else whole for *_, bare, whole in asked]
    found = vectors(encoder, [*ids, *queries])
    turns, questions = found[: len(ids)], found[len(ids) :]
    before, after = (
        torch.tensor([places.get((n, t + step), -1) for n, t in keys], device=DEVICE)
        for step in (-1, 1)
    )
    mixed = turns
    for share, near in ((0.3, before), (0.1, after)):
        mixed = mixed + share * turns[near.clamp(min=0)] * (near >= 0)[:, None]
    scores = 0.74 * questions @ F.normalize(mixed, dim=1).T + 0.26 * questions @ turns.T
    right = torch.zeros(scores.shape, dtype=torch.bool)
    allowed = torch.ones(scores.shape, dtype=torch.bool)
    owners = torch.tensor([number for number, _ in keys])
    for row, (number, evidence, *_) in enumerate(asked):
        for turn in evidence:
            if (number, turn) in places:
                right[row, places[number, turn]] = True
        if training.dialogues[number]["s"] == "sgd":  # a general question has answers elsewhere too
            allowed[row] = owners == number
    return contrast(scores, right, recipe, allowed)


def fact_loss(encoder: Any, training: Training, recipe: Recipe) -> torch.Tensor:
    """Return the loss of questions about small namespaces, each against all memories."""
    asked = training.random.sample(training.facts, recipe.facts)
    memories = [encode(text, 80) for question in asked for text in question.memories]
    found = vectors(encoder, [*memories, *(encode(question.query, 48) for question in asked)])
    scores = found[len(memories) :] @ found[: len(memories)].T
    right = torch.zeros(scores.shape, dtype=torch.bool)
    at = 0
    for row, question in enumerate(asked):
        for number in question.relevant:
            right[row, at + number] = True
        at += len(question.memories)
    return contrast(scores, right, recipe)


def restatement_loss(encoder: Any, training: Training, recipe: Recipe) -> torch.Tensor:
    """Return the loss of texts that say the same, each against all others."""
    pairs = training.random.sample(training.same, recipe.restatements)
    texts = [encode(str(text), 80) for pair in pairs for text in (pair.first, pair.second)]
    found = vectors(encoder, texts)
    scores = found[0::2] @ found[1::2].T
    return contrast(scores, torch.eye(len(pairs), dtype=torch.bool), recipe)


def contrast(
    scores: torch.Tensor,
    right: torch.Tensor,
    recipe: Recipe,
    allowed: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return how far the right columns are from having all of the probability."""
    logits = scores / recipe.temperature
    if allowed is not None:
        logits = logits.masked_fill(~allowed.to(DEVICE), -1e4)
    wanted = logits.masked_fill(~right.to(DEVICE), -1e4)
    return (torch.logsumexp(logits, 1) - torch.logsumexp(wanted, 1)).mean()


def train(recipe: Recipe, seed: int) -> Any:
    """Train one encoder."""
    torch.manual_seed(seed)
    training = Training(seed)
    encoder = build_encoder(dropout=0.05).to(DEVICE).train()
    encoder.embeddings.word_embeddings.weight.requires_grad_(False)
    with torch.no_grad():
        original = build_encoder().to(DEVICE).eval()
        targets = vectors(original, training.others)
    weights = [weight for weight in encoder.parameters() if weight.requires_grad]
    optimiser = torch.optim.AdamW(weights, lr=recipe.lr, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, recipe.lr, total_steps=recipe.steps, pct_start=0.1
    )
    for step in range(recipe.steps):
        loss = dialogue_loss(encoder, training, recipe)
        if recipe.short:
            short = fact_loss(encoder, training, recipe)
            short = short + restatement_loss(encoder, training, recipe)
            loss = loss + recipe.short * short
        chosen = training.random.sample(range(len(training.others)), 384)
        now = vectors(encoder, [training.others[number] for number in chosen])
        then = targets[torch.tensor(chosen, device=DEVICE)]
        loss = loss + recipe.similarity * ((now @ now.T - then @ then.T) ** 2).mean()
        loss = loss + recipe.anchor * (1 - (now * then).sum(1)).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad(set_to_none=True)
        if step % 100 == 0:
            print(f"seed {seed}, step {step}: loss {loss.item():.3f}", flush=True)
    return encoder.eval()


def main() -> None:
    """Train, average and save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="embedding")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    arguments = parser.parse_args()
    types = {field.name: type(getattr(Recipe(), field.name)) for field in fields(Recipe)}
    named = (change.partition("=") for change in arguments.set)
    recipe = replace(Recipe(), **{name: types[name](value) for name, _, value in named})
    began = time.monotonic()
    states = [train(recipe, seed).state_dict() for seed in range(arguments.seeds)]
    save_weights(mean_weights(states), arguments.out / arguments.name)
    print(f"{time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    np.set_printoptions(precision=3)
    main()
