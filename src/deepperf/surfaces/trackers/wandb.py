"""Weights & Biases: a new run, or one that is there, as its own variables and settings say."""

from __future__ import annotations

import wandb

from deepperf.surfaces.trackers import Parcel


def send(parcel: Parcel, place: str) -> str:
    """Add the report to the run with the id `place`."""
    # What belongs to the training, such as its console and its commit, stays as it is.
    settings = wandb.Settings(
        console="off",
        disable_git=True,
        quiet=True,
        save_code=False,
        x_disable_meta=True,
        x_disable_stats=True,
    )
    with wandb.init(
        id=place or None,
        resume="must" if place else None,
        job_type=None if place else "deepperf",
        settings=settings,
    ) as run:
        run.log(dict(parcel.metrics))
        report = wandb.Artifact(f"deepperf-report-{run.id}", type="report")
        report.add_dir(str(parcel.files))
        run.log_artifact(report)
        return f"run {run.id} of project {run.project}" + ("" if run.url else ", offline")
