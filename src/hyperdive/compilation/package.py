"""Compile all kernels for this Python, Numba and processor level into a file of the package.

    python -P -m hyperdive.compilation.package [FOLDER]

Builds of wheels and images run this for every Python they support. FOLDER is the package's own when it is left out.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from hyperdive._progress import Progress
from hyperdive.compilation.compiler import prepare
from hyperdive.compilation.environment import tag, target
from hyperdive.compilation.kernel_store import SHIPPED, ShippedKernels, compiled_kernels, entry_name
from hyperdive.compilation.signatures import every_use, manifest
from hyperdive.errors import Error


def package(folder: Path) -> Path:
    """Write the file with every kernel of the manifest; its path."""
    path = folder / f"{tag(target())}.zip"
    path.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="hyperdive-kernels-") as scratch:
        os.environ["NUMBA_CACHE_DIR"] = scratch  # nothing that was compiled earlier
        prepare(*every_use(), progress=Progress("auto"))
        kernels = {}
        for signature in manifest():
            name = entry_name(signature.kernel, signature.types)
            content = compiled_kernels().read(name)
            if content is None:
                raise Error(f"{signature.kernel} was not compiled for {signature.types}")
            kernels[name] = content
        folder.mkdir(parents=True, exist_ok=True)
        ShippedKernels.write(path, kernels)
    return path


if __name__ == "__main__":
    made = package(Path(sys.argv[1]) if len(sys.argv) > 1 else SHIPPED)
    sys.stdout.write(f"{made} {made.stat().st_size:,} bytes\n")
