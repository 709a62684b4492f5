"""The encoder of all-MiniLM-L6-v2 in PyTorch, and batches of token ids for it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import BertConfig, BertModel

from ghostmem.embed.wordpiece import words

WEIGHTS = Path(__file__).resolve().parents[2] / "build" / "train" / "minilm.npz"
WIDTH, START, END = 384, 101, 102
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def original_weights() -> dict[str, torch.Tensor]:
    """Return the official weights, from the file that `pack` writes."""
    with np.load(WEIGHTS) as arrays:
        weights = {name: torch.tensor(arrays[name].astype(np.float32)) for name in arrays.files}
    weights["embeddings.word_embeddings.weight"] = weights.pop("words") * weights.pop("scales")
    return weights


def build_encoder(dropout: float = 0.1) -> Any:
    """Return the encoder with the official weights."""
    config = BertConfig(
        vocab_size=30_522,
        hidden_size=WIDTH,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=4 * WIDTH,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        attn_implementation="sdpa",
    )
    encoder = BertModel(config, add_pooling_layer=False)
    missing = encoder.load_state_dict(original_weights(), strict=False).missing_keys
    if [name for name in missing if not name.endswith("position_ids")]:
        raise ValueError(f"the weights lack {missing}")
    return encoder


def encode(text: str, limit: int) -> list[int]:
    """Return the first token ids of a text, as the package makes them."""
    return words().encode(text)[:limit]


def padded(rows: Sequence[Sequence[int]]) -> torch.Tensor:
    """Return rows of ids as one tensor, with zeros after the shorter ones."""
    width = (max(map(len, rows)) + 7) // 8 * 8
    made = np.zeros((len(rows), width), np.int64)
    for number, row in enumerate(rows):
        made[number, : len(row)] = row
    return torch.from_numpy(made).to(DEVICE, non_blocking=True)


def mean_weights(states: Sequence[Mapping[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """Return the mean of the weights of models that started from the same ones."""
    return {
        name: torch.stack([state[name].float() for state in states]).mean(0)
        for name, value in states[0].items()
        if value.is_floating_point()
    }


def save_weights(weights: Mapping[str, torch.Tensor], path: Path, parts: int = 3) -> None:
    """Write weights in fp16 to a few files of similar size; the word vectors are the original."""
    arrays = {
        name: value.half().cpu().numpy()
        for name, value in weights.items()
        if "word_embeddings" not in name
    }
    files: list[dict[str, Any]] = [{} for _ in range(parts)]
    for name in sorted(arrays, key=lambda name: -arrays[name].nbytes):
        smallest = min(files, key=lambda file: sum(array.nbytes for array in file.values()))
        smallest[name] = arrays[name]
    for number, file in enumerate(files):
        np.savez(f"{path}.{number}.npz", **file)
