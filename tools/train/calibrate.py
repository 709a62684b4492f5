"""Choose the temperatures and thresholds of the judge on authors that it was not trained on.

    python -m tools.train.calibrate WHEEL HELD author2,author8 [--write]

HELD are the weights of a judge that was trained without these authors. A temperature is the one
with the smallest loss. A threshold is the smallest with the wanted precision (corrections and
restatements), or the share of benign texts that may be held back (attacks). With --write they go
into MODELS.json, for the judge that was trained on everybody."""

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tools.build_models import DATA, read_source, serialise, shared_words
from tools.train import data
from tools.train.export import INPUTS, MANIFEST, OUTPUT, build_judge, judge_weights
from tools.train.measure import sigmoid, softmax

from ghostmem.judge import model as judge_model

CORRECTIONS, RESTATEMENTS, BENIGN = 0.89, 0.84, 0.025
CAPTURE = 0.5  # precision and recall are alike there
TEMPERATURES = np.arange(0.6, 2.6, 0.1)


def open_judge(wheel: Path, weights: Path, folder: Path) -> judge_model.Judge:
    """Build a judge from weights in a folder of its own, next to links to the shared files."""
    graph = build_judge(judge_weights(read_source(wheel), weights))
    model, tensors = serialise(graph, "judge-int8.data", INPUTS, OUTPUT, shared_words(DATA))
    (folder / "judge-int8.onnx").write_bytes(model)
    (folder / "judge-int8.data").write_bytes(tensors)
    for file in DATA.glob("minilm-*"):
        (folder / file.name).hardlink_to(file)
    return judge_model.Judge(folder)


def smallest_loss(loss: Callable[[float], float]) -> float:
    """Return the temperature with the smallest loss."""
    return round(float(min(TEMPERATURES, key=loss)), 1)


def class_temperature(logits: Any, labels: Any) -> float:
    """Return the temperature of probabilities of several labels."""
    rows = np.arange(len(labels))
    return smallest_loss(lambda t: -np.log(softmax(logits / t)[rows, labels] + 1e-9).mean())


def yes_temperature(logits: Any, truth: Any) -> float:
    """Return the temperature of a single probability."""

    def loss(temperature: float) -> float:
        chances = sigmoid(logits / temperature)
        return float(-np.log(np.where(truth, chances, 1 - chances) + 1e-9).mean())

    return smallest_loss(loss)


def least_with_precision(chances: Any, truth: Any, precision: float) -> float:
    """Return the smallest threshold that reaches a precision."""
    for threshold in np.arange(0.5, 0.99, 0.01):
        kept = chances >= threshold
        if kept.any() and truth[kept].mean() >= precision:
            return round(float(threshold), 2)
    raise SystemExit(f"no threshold reaches a precision of {precision}")


def calibrate(judge: judge_model.Judge, examples: data.Examples) -> dict[str, dict[str, float]]:
    """Return the temperatures and thresholds."""
    verdicts = judge.logits("verdict", [(p.first, p.second or "") for p in examples.verdicts])
    labels = np.array([pair.label for pair in examples.verdicts])
    captures = judge.logits("capture", [(p.first, p.second or "") for p in examples.captures])
    attacks = judge.logits("attack", [(pair.first, "") for pair in examples.injections])
    asked = [(q.query, text) for q in examples.questions for text in q.memories]
    relevant = np.array(
        [n in q.relevant for q in examples.questions for n in range(len(q.memories))]
    )
    wanted = np.array([pair.label for pair in examples.captures]) > 0
    is_attack = np.array([pair.label for pair in examples.injections]) > 0
    temperatures = {
        "verdict": class_temperature(verdicts, labels),
        "capture": yes_temperature(captures[:, 0], wanted),
        "attack": yes_temperature(attacks[:, 0], is_attack),
        "relevance": yes_temperature(judge.logits("relevance", asked)[:, 0], relevant),
    }
    chances = softmax(verdicts / temperatures["verdict"])
    benign = sigmoid(attacks[:, 0] / temperatures["attack"])[~is_attack]
    thresholds = {
        "restatement": least_with_precision(chances[:, 1], labels == 1, RESTATEMENTS),
        "correction": least_with_precision(chances[:, 2] + chances[:, 3], labels >= 2, CORRECTIONS),
        "capture": CAPTURE,
        "attack": round(float(np.quantile(benign, 1 - BENIGN)), 3),
    }
    return {"temperatures": temperatures, "thresholds": thresholds}


def main() -> None:
    """Calibrate, and write the result on request."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("held", type=Path)
    parser.add_argument("authors")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=DATA) as folder:
        judge = open_judge(arguments.wheel, arguments.held, Path(folder))
        found = calibrate(judge, data.load(arguments.authors.split(",")))
    print(json.dumps(found, indent=2))
    if arguments.write:
        manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
        manifest["judge"] |= found
        MANIFEST.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
