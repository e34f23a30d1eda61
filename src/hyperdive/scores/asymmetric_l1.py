"""The asymmetric L1 distance of two vectors, and the scale a at which it is reached; the score is in `paper_scores`."""

from __future__ import annotations

import numpy as np

from hyperdive._types import Floats

W0 = 5.0
"""What q's mass above p's costs, against 1 for p's mass above q's; the paper's value."""


def best_scale(q: Floats, p: Floats, w0: float = W0) -> tuple[float, float]:
    """The scale a and the AL₁ distance min_a Σᵢ [w₀·max(a·d_q−d_p, 0) + max(d_p−a·d_q, 0)] of two vectors.

    >>> best_scale(np.array([1.0, 0.0]), np.array([1.0, 1.0]))
    (0.5, 0.5)
    """
    if q.sum() <= 0 or p.sum() <= 0:
        return 0.0, 1.0
    d_q, d_p = q / q.sum(), p / p.sum()
    there = d_q > 0
    # f is convex and piecewise linear in a, so its minimum is at a break point d_p/d_q or at 0
    scales = np.unique(np.concatenate([[0.0], d_p[there] / d_q[there]]))
    over = scales[:, None] * d_q[None, :] - d_p[None, :]
    costs = (w0 * np.maximum(over, 0.0) + np.maximum(-over, 0.0)).sum(axis=1)
    best = int(np.argmin(costs))
    return float(scales[best]), float(costs[best])
