"""MLflow: a new run, or one that is there, on the server that its own variables name."""

from __future__ import annotations

import mlflow

from deepperf.surfaces.trackers import Parcel


def send(parcel: Parcel, place: str) -> str:
    """Add the report to the run with the id `place`, whose state stays as it is."""
    client = mlflow.MlflowClient()
    if place:
        run = client.get_run(place)
    else:
        with mlflow.start_run(run_name="deepperf") as run:
            pass
    run_id = run.info.run_id
    for name, value in parcel.metrics.items():
        client.log_metric(run_id, name, value, step=parcel.steps)
    client.log_artifacts(run_id, str(parcel.files), "deepperf")
    return f"run {run_id} on {mlflow.get_tracking_uri()}"
