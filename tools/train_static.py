"""Distil all-MiniLM-L6-v2 into the static table: one 256-d vector a token.

A text is the normalised sum of its rows.

    python tools/train_static.py model.safetensors sentences.txt static-256-int8.npz
    python tools/train_static.py model.safetensors sentences.txt static-256-int8.npz --evaluate

Needs torch, transformers and safetensors; a large GPU takes two minutes, a CPU hours.
`sentences.txt` has one sentence a line; the shipped table saw 700,000 of dictionaries, essays,
quotations, manuals and project documentation, and none of the evaluation data.

The teacher's vectors are projected on their strongest 256 directions. A row starts as its token's
own teacher vector, weighted down by frequency, and is trained to agree with the teacher on each
sentence and on the similarity of every two sentences of a batch. The last step rounds each row to
int8 with a scale of its own."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch.nn import functional
from transformers import BertConfig, BertModel

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from ghostmem.embed.wordpiece import WordPiece  # noqa: E402

DIMENSION, WIDTH, VOCABULARY = 256, 384, 30_522
CLS, SEP = 101, 102
SPECIAL: Final = (0, 100, CLS, SEP, 103)
SHORTEST, LONGEST = 4, 64
HELD_OUT: Final = 10_000
RARE: Final = 1e-4
EPOCHS, BATCH, RATE, DROP = 40, 8192, 0.02, 0.1
PAIRS_WEIGHT, START_WEIGHT = 20.0, 0.05
DEVICE: Final = "cuda" if torch.cuda.is_available() else "cpu"

Tensor: TypeAlias = Any


@dataclass(frozen=True)
class Corpus:
    """Tokenised sentences, laid end to end, and the teacher's vector of each."""

    tokens: Tensor
    lengths: Tensor
    offsets: Tensor
    taught: Tensor


@dataclass(frozen=True)
class Figures:
    """How well a table follows the teacher on sentences it was not trained on."""

    cosine: float
    correlation: float
    neighbours: float

    def reach(self, floor: Figures) -> bool:
        """Tell whether no figure is below the floor's."""
        return (
            self.cosine >= floor.cosine
            and self.correlation >= floor.correlation
            and self.neighbours >= floor.neighbours
        )


FLOOR: Final = Figures(cosine=0.86, correlation=0.77, neighbours=0.69)


def read_sentences(path: Path) -> list[list[int]]:
    """Return the token ids of each sentence that is long enough, cut to the longest allowed."""
    tokenizer = WordPiece.load(ROOT / "src" / "ghostmem" / "embed" / "data" / "vocab.txt")
    lines = path.read_text(encoding="utf-8").split("\n")
    return [ids for line in lines if len(ids := tokenizer.encode(line)[:LONGEST]) >= SHORTEST]


def load_teacher(path: Path) -> Tensor:
    """Return the transformer with its official weights."""
    config = BertConfig(
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
        layer_norm_eps=1e-12,
    )
    model = BertModel(config, add_pooling_layer=False)
    missing = model.load_state_dict(load_file(path), strict=False).missing_keys
    if missing:
        sys.exit(f"{path} lacks {', '.join(missing)}: it is not all-MiniLM-L6-v2")
    return model.to(DEVICE).eval()


def teach(model: Tensor, sentences: list[list[int]], size: int = 2048) -> Tensor:
    """Return the teacher's vectors: the normalised mean over the tokens, with [CLS] and [SEP]."""
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    vectors = torch.empty(len(sentences), WIDTH, device=DEVICE)
    for start in range(0, len(order), size):
        index = order[start : start + size]
        rows = [torch.tensor([CLS, *sentences[i], SEP]) for i in index]
        ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True).to(DEVICE)
        mask = (ids != 0).long()
        with torch.no_grad():
            hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
        vectors[torch.tensor(index, device=DEVICE)] = functional.normalize(
            (hidden * mask[..., None]).sum(1), dim=1
        )
    return vectors


def lay_out(sentences: list[list[int]], taught: Tensor) -> Corpus:
    """Put the sentences end to end on the device."""
    tokens = torch.tensor([token for ids in sentences for token in ids], device=DEVICE)
    lengths = torch.tensor([len(ids) for ids in sentences], device=DEVICE)
    return Corpus(tokens, lengths, lengths.cumsum(0) - lengths, taught)


def start_table(corpus: Corpus, words: Tensor, projection: Tensor) -> Tensor:
    """Return each token's teacher vector, centred, projected and weighted down by frequency."""
    counts = torch.bincount(corpus.tokens, minlength=VOCABULARY).float()
    share = (counts / counts.sum()).clamp(min=1e-9)
    table = ((words - words.mean(0)) @ projection) * (RARE / (RARE + share))[:, None]
    table[list(SPECIAL)] = 0
    return table


def embed(table: Tensor, corpus: Corpus, index: Tensor, drop: float = 0.0) -> Tensor:
    """Return the table's vectors of some sentences, dropping a share of tokens at random."""
    lengths = corpus.lengths[index]
    bags = lengths.cumsum(0) - lengths
    places = torch.arange(int(lengths.sum()), device=DEVICE) + (
        corpus.offsets[index] - bags
    ).repeat_interleave(lengths)
    kept = (torch.rand(len(places), device=DEVICE) >= drop).float()
    total = functional.embedding_bag(
        corpus.tokens[places], table, bags, mode="sum", per_sample_weights=kept
    )
    return functional.normalize(total + 1e-6, dim=1)


def train(
    corpus: Corpus, start: Tensor, aims: Tensor, index: Tensor, epochs: int, size: int
) -> Tensor:
    """Return the table after one cycle of Adam over the sentences of the index."""
    table = torch.nn.Parameter(start.clone())
    adam = torch.optim.Adam([table], lr=RATE)
    steps = epochs * (len(index) // size)
    cycle = torch.optim.lr_scheduler.OneCycleLR(adam, RATE, total_steps=steps, pct_start=0.1)
    for epoch in range(epochs):
        shuffled = index[torch.randperm(len(index), device=DEVICE)]
        for batch in shuffled[: len(index) // size * size].split(size):
            ours, taught = embed(table, corpus, batch, DROP), corpus.taught[batch]
            alone = (1 - (ours * aims[batch]).sum(1)).mean()
            pairs = ((ours @ ours.T - taught @ taught.T) ** 2).mean()
            drift = ((table - start) ** 2).sum(1).mean()
            loss = alone + PAIRS_WEIGHT * pairs + START_WEIGHT * drift
            adam.zero_grad()
            loss.backward()
            adam.step()
            cycle.step()
        print(f"epoch {epoch + 1} of {epochs}: loss {loss.item():.4f}", flush=True)
    return table.detach()


def evaluate(table: Tensor, corpus: Corpus, aims: Tensor, index: Tensor) -> Figures:
    """Measure a table on the sentences of the index."""
    ours, taught = embed(table, corpus, index), corpus.taught[index]
    # Directions found on another text are turned against these: the cosine is taken after the best
    # rotation.
    left, _, right = torch.linalg.svd(ours.T @ aims[index])
    cosine = (ours @ (left @ right) * aims[index]).sum(1).mean()
    mine, theirs = ours @ ours.T, taught @ taught.T
    above = torch.ones_like(mine, dtype=torch.bool).triu(1)
    correlation = torch.corrcoef(torch.stack([mine[above], theirs[above]]))[0, 1]
    nearest = theirs.fill_diagonal_(-2).argmax(1)
    found = (
        (mine.fill_diagonal_(-2).topk(10, dim=1).indices == nearest[:, None]).any(1).float().mean()
    )
    return Figures(float(cosine), float(correlation), float(found))


def save(table: NDArray[np.float32], path: Path) -> None:
    """Write a table as int8 rows `e` and float16 scales `s`."""
    scale = np.abs(table).max(axis=1, keepdims=True) / 127 + 1e-12
    np.savez(path, e=np.rint(table / scale).astype(np.int8), s=scale.astype(np.float16))


def load(path: Path) -> Tensor:
    """Return a saved table as floats on the device."""
    with np.load(path) as arrays:
        return torch.tensor(
            arrays["e"].astype(np.float32) * arrays["s"].astype(np.float32), device=DEVICE
        )


def main() -> int:
    """Train or measure a table; exit 1 when it is worse than the limit for the shipped one."""
    parser = argparse.ArgumentParser(description="Distil all-MiniLM-L6-v2 into the static table.")
    parser.add_argument("weights", type=Path, help="model.safetensors of all-MiniLM-L6-v2")
    parser.add_argument("sentences", type=Path, help="text to learn from, one sentence a line")
    parser.add_argument("table", type=Path, help="the .npz to write")
    parser.add_argument(
        "--evaluate", action="store_true", help="train nothing; measure the table there is"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument(
        "--held-out", type=int, default=HELD_OUT, help="sentences kept apart to measure with"
    )
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    sentences = read_sentences(arguments.sentences)
    if not arguments.evaluate and len(sentences) < arguments.held_out + arguments.batch:
        sys.exit(
            f"{arguments.sentences} has {len(sentences)} usable sentences: fewer than one "
            "batch and those kept apart"
        )
    model = load_teacher(arguments.weights)
    corpus = lay_out(sentences, teach(model, sentences))
    order = torch.randperm(
        len(sentences), generator=torch.Generator().manual_seed(arguments.seed)
    ).to(DEVICE)
    kept_apart, index = order[: arguments.held_out], order[arguments.held_out :]
    directions = torch.linalg.eigh(corpus.taught.T @ corpus.taught / len(sentences)).eigenvectors
    projection = directions.flip(1)[:, :DIMENSION].contiguous()
    aims = functional.normalize(corpus.taught @ projection, dim=1)
    if not arguments.evaluate:
        words = teach(model, [[token] for token in range(VOCABULARY)])
        start = start_table(corpus, words, projection)
        print("start", evaluate(start, corpus, aims, kept_apart))
        table = train(corpus, start, aims, index, arguments.epochs, arguments.batch)
        save(table.cpu().numpy(), arguments.table)
    figures = evaluate(load(arguments.table), corpus, aims, kept_apart)
    print("table", figures)
    return 0 if figures.reach(FLOOR) else 1


if __name__ == "__main__":
    sys.exit(main())
