"""All compiled loops, one file per family: functions of arrays only, each with a slow twin in the tests."""

from __future__ import annotations

import os

own_process = False
"""Whether this process belongs to hyperdive: the command, or a process it starts. See `claim_process`."""


def claim_process() -> None:
    """Allow hyperdive to choose Numba's settings in this process; call it before any kernel is imported.

    A program that uses hyperdive as a library keeps its own settings of Numba.
    """
    global own_process
    own_process = True
    os.environ["NUMBA_DISABLE_INTEL_SVML"] = "1"  # its functions round differently, and few machines have it
