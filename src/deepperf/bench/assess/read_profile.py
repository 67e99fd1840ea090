"""A process that reads a recorded profile with xprof and prints its advice as JSON.

It has a process of its own since xprof brings its own copy of much that TensorFlow has.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MOST = 12


def main(arguments: list[str]) -> int:
    """Print what the profile in the folder given says."""
    from xprof.convert.raw_to_tool_data import xspace_to_tool_data

    paths = [str(path) for path in Path(arguments[0]).rglob("*.xplane.pb")]
    tables: dict[str, Any] = {}
    for tool in ("overview_page", "framework_op_stats", "memory_profile"):
        data, _ = xspace_to_tool_data(paths, tool, {})
        tables[tool] = json.loads(data) if data else []
    said = {
        "advice": list(_advice(tables["overview_page"])),
        "operations": _operations(tables["framework_op_stats"]),
        "peak": _peak(tables["memory_profile"]),
    }
    print(json.dumps(said))
    return 0


def _advice(pages: list[dict[str, Any]]) -> Iterator[str]:
    """Each sentence that the overview concludes with."""
    seen = set()
    for page in pages:
        for name, value in (page.get("p") or {}).items():
            said = name.endswith(("statement", "conclusion", "remark_text"))
            if said and value and value not in seen:
                seen.add(value)
                yield value
        for row in page.get("rows", ()):
            cells = [str(cell.get("v", "")) for cell in row["c"]]
            if cells[0] == "WARNING":
                yield " ".join(cells)


def _operations(pages: Any) -> list[list[Any]]:
    """Kind, name and share of all operations' own time, of those that took most."""
    page = pages[0] if isinstance(pages, list) and pages else pages
    names = [column["id"] for column in page["cols"]] if page else []
    rows = (
        [
            dict(zip(names, (cell.get("v") for cell in row["c"]), strict=True))
            for row in page["rows"]
        ]
        if page
        else []
    )
    rows = [row for row in rows if row["type"] != "IDLE"]
    total = sum(row["total_self_time"] for row in rows) or 1.0
    found = [
        [row["type"], row["operation"], round(row["total_self_time"] / total, 4)] for row in rows
    ]
    return sorted(found, key=lambda entry: -entry[2])[:MOST]


def _peak(profile: Any) -> list[list[Any]]:
    """Operation and bytes of the largest allocations at the peak."""
    found = []
    for allocator in (profile or {}).get("memoryProfilePerAllocator", {}).values():
        snapshots = allocator.get("memoryProfileSnapshots", [])
        for active in allocator.get("activeAllocations", ()):
            index = int(active.get("snapshotIndex", -1))
            if 0 <= index < len(snapshots):
                made = snapshots[index]["activityMetadata"]
                found.append([made.get("tfOpName", ""), int(made.get("allocationBytes", 0))])
    return sorted(found, key=lambda entry: -entry[1])[:MOST]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
