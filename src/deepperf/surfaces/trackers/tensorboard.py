"""TensorBoard: scalars and the report as a text, in a folder of event files."""

from __future__ import annotations

from textwrap import indent

from tensorboardX import SummaryWriter

from deepperf.surfaces.trackers import Parcel

FOLDER = "runs/deepperf"


def send(parcel: Parcel, place: str) -> str:
    """Write an event file into the folder `place`."""
    folder = place or FOLDER
    with SummaryWriter(folder) as writer:
        for name, value in parcel.metrics.items():
            writer.add_scalar(name, value, parcel.steps)
        # It is shown as Markdown.
        writer.add_text("deepperf/report", indent(parcel.text, "    "), parcel.steps)
    return f"folder {folder}"
