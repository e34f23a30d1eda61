"""An array on disk that grows while the text is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt


class GrowingArray:
    """Values appended to a file, and at the end one mapped array.

    >>> import tempfile
    >>> values = GrowingArray(Path(tempfile.mkdtemp()) / "values.bin", "int64")
    >>> values.append(np.array([3, 4])); values.append(np.array([5]))
    >>> values.size, values.close().tolist()
    (3, [3, 4, 5])
    >>> GrowingArray(Path(tempfile.mkdtemp()) / "values.bin", "int64").close().tolist()
    []
    """

    def __init__(self, path: Path, dtype: str) -> None:
        self.path, self._dtype = path, np.dtype(dtype)
        self._file = path.open("wb")
        self.size = 0

    def append(self, values: npt.NDArray[Any]) -> None:
        """Add values at the end."""
        data = np.ascontiguousarray(values, dtype=self._dtype)
        self._file.write(data.reshape(-1).view(np.uint8).data)
        self.size += len(data)

    def close(self) -> npt.NDArray[Any]:
        """All values."""
        self._file.close()
        if self.size == 0:
            return np.zeros(0, dtype=self._dtype)
        return np.asarray(np.memmap(self.path, dtype=self._dtype, mode="r+"))
