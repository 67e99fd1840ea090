"""Whether the installed PyTorch copies arrays that it makes tensors of, or moves; as JSON.

Prints {case: whether the numbers are copied}.
"""

from __future__ import annotations

import importlib
import json
from typing import Any

numpy: Any = importlib.import_module("numpy")
torch: Any = importlib.import_module("torch")


def main() -> None:
    rows = numpy.ones(1000, "float32")
    tensor = torch.from_numpy(rows)
    place = rows.__array_interface__["data"][0]
    answers = {
        "from_numpy": tensor.data_ptr() != place,
        "to the processor": tensor.to("cpu").data_ptr() != place,
        "to another type": tensor.to(torch.float64).data_ptr() != place,
        "tensor": torch.tensor(rows).data_ptr() != place,
    }
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
