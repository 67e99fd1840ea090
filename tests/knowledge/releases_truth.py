"""Prints the version of an installed framework, and of each name whether it has it: 1 or 0.

Run in a process of its own: `python releases_truth.py torch torch.compile torch.gone`.
"""

from __future__ import annotations

import importlib
import sys
import warnings


def has(name: str) -> bool:
    root, *parts = name.split(".")
    found: object = importlib.import_module(root)
    for length, part in enumerate(parts, 2):
        try:
            found = getattr(found, part)
        except Exception:  # noqa: BLE001 - of a lazy attribute, whatever its import raises
            try:
                found = importlib.import_module(".".join([root, *parts][:length]))
            except Exception:  # noqa: BLE001
                return False
    return True


def main(framework: str, names: list[str]) -> None:
    warnings.simplefilter("ignore")
    print(importlib.import_module(framework).__version__)
    for name in names:
        print(name, int(has(name)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
