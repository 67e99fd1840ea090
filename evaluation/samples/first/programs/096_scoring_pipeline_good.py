"""Kubeflow pipeline: weekly scoring of all accounts with the propensity net."""
import argparse

from kfp import compiler, dsl
from kfp.dsl import Artifact, Dataset, Input, Output

PACKAGES = [
    "tensorflow==2.19.0",
    "numpy==2.1.3",
    "pandas==2.2.3",
    "pyarrow==19.0.1",
]
IMAGE = "python:3.11-slim"


@dsl.component(base_image=IMAGE, packages_to_install=PACKAGES)
def extract(source: str, features: Output[Dataset], rows_per_part: int):
    import os

    import pandas as pd

    frame = pd.read_parquet(source)
    frame = frame.fillna(0.0).sort_values("account_id")
    os.makedirs(features.path, exist_ok=True)
    for part, lo in enumerate(range(0, len(frame), rows_per_part)):
        frame.iloc[lo : lo + rows_per_part].to_parquet(
            os.path.join(features.path, f"part-{part:05d}.parquet"))


@dsl.component(base_image=IMAGE, packages_to_install=PACKAGES)
def score(features: Input[Dataset], model_uri: str, scores: Output[Dataset]):
    import glob
    import os

    import pandas as pd
    import tensorflow as tf

    model = tf.keras.models.load_model(model_uri, compile=False)
    os.makedirs(scores.path, exist_ok=True)
    for path in sorted(glob.glob(os.path.join(features.path, "*.parquet"))):
        frame = pd.read_parquet(path)
        ids = frame.pop("account_id")
        out = model.predict(frame.to_numpy("float32"), batch_size=65536, verbose=0)
        target = os.path.join(scores.path, os.path.basename(path))
        pd.DataFrame({"account_id": ids, "score": out[:, 0]}).to_parquet(target)


@dsl.component(base_image=IMAGE, packages_to_install=PACKAGES)
def report(scores: Input[Dataset], summary: Output[Artifact]):
    import glob
    import os

    import pandas as pd

    parts = glob.glob(os.path.join(scores.path, "*.parquet"))
    frame = pd.concat([pd.read_parquet(p, columns=["score"]) for p in parts])
    frame["score"].describe().to_json(summary.path)


@dsl.pipeline(name="propensity-scoring")
def scoring(source: str, model_uri: str, rows_per_part: int = 2_000_000):
    rows = extract(source=source, rows_per_part=rows_per_part)
    rows.set_memory_limit("32G")
    done = score(features=rows.outputs["features"], model_uri=model_uri)
    done.set_accelerator_type("nvidia.com/gpu").set_accelerator_limit(1)
    report(scores=done.outputs["scores"])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--out", default="scoring.yaml")
    args = p.parse_args()
    compiler.Compiler().compile(scoring, args.out)


if __name__ == "__main__":
    main()
