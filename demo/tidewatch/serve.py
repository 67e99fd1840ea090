"""Answers one JSON request per line: {"station": ..., "levels": [...]}."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TextIO

from tidewatch.rating import RatingCurve


def answers(requests: TextIO, curve: RatingCurve) -> Iterator[str]:
    for line in requests:
        request = json.loads(line)
        flow = curve.discharge(request["levels"])
        yield json.dumps({"station": request["station"], "discharge": flow.round(2).tolist()})


def main() -> None:
    for answer in answers(sys.stdin, RatingCurve()):
        print(answer, flush=True)


if __name__ == "__main__":
    main()
