"""What the adapters' tests share."""

from __future__ import annotations

import numpy as np


def plain(data):
    """Return nested data as plain values that compare to the byte, dtypes and shapes included."""
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [plain(value) for value in data]
    if isinstance(data, np.ndarray):
        if data.dtype == object:
            return ["object", data.shape, [plain(value) for value in data.flat]]
        return [data.dtype.str, data.shape, data.tobytes()]
    return [type(data).__name__, data]
