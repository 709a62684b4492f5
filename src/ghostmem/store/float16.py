"""Convert stored vectors from float16 to float32."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HALF_BITS = np.int32(-0x70002000)  # the sign, exponent and fraction of a float16 in a float32
SCALE = np.float32(2.0**112)  # the difference of their exponents


def to_float32(rows: "NDArray[np.float16]") -> "NDArray[np.float32]":
    """Return vectors as float32; moving bits is several times faster than `astype`."""
    vectors = to_scaled_float32(rows)
    vectors *= SCALE
    return vectors


def to_scaled_float32(rows: "NDArray[np.float16]") -> "NDArray[np.float32]":
    """Return vectors as float32 divided by `SCALE`, which only moves the bits of each number."""
    bits = rows.view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= _HALF_BITS
    return bits.view(np.float32)
