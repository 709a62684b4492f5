"""Read the weights that training wrote, without PyTorch."""

from pathlib import Path
from typing import Any

import numpy as np


def load_weights(path: Path) -> dict[str, Any]:
    """Return the arrays that `save_weights` wrote, in fp32."""
    found: dict[str, Any] = {}
    for file in sorted(path.parent.glob(f"{path.name}.*.npz")):
        with np.load(file) as arrays:
            found |= {name: arrays[name].astype(np.float32) for name in arrays.files}
    return found
