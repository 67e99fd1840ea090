"""trackio: a run of a project, on this machine or where its own variables say."""

from __future__ import annotations

import trackio

from deepperf.surfaces.trackers import Parcel

PROJECT = "deepperf"


def send(parcel: Parcel, place: str) -> str:
    """Add the report to the run that `place` names as `PROJECT/RUN`, or to a new one."""
    project, _, name = place.partition("/")
    run = trackio.init(
        project or PROJECT,
        name=name or None,
        resume="must" if name else "never",
        auto_log_cpu=False,
        auto_log_gpu=False,
    )
    try:
        trackio.log(dict(parcel.metrics))
        trackio.log_artifact(parcel.files, name="deepperf-report", type="report")
    finally:
        trackio.finish()
    return f"run {run.name} of project {run.project}"
