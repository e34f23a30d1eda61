"""The array types of the package, each under one name."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Floats32 = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Ids = npt.NDArray[np.uint32]
"""Words by their number in a vocabulary."""
Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
