"""Churn scoring service."""
import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import keras
import numpy as np
import uvicorn
from fastapi import Depends, FastAPI, HTTPException
from pydantic import BaseModel

ARTIFACTS = Path(os.environ.get("ARTIFACTS", "/srv/artifacts/churn/current"))

app = FastAPI(title="churn")


class Customer(BaseModel):
    tenure: float
    monthly_charge: float
    tickets_90d: int
    plan: str


class Batch(BaseModel):
    customers: list[Customer]


@dataclass
class Bundle:
    net: keras.Model
    plans: dict[str, int]
    mean: np.ndarray
    std: np.ndarray

    def encode(self, rows: list[Customer]) -> np.ndarray:
        x = np.zeros((len(rows), 3 + len(self.plans)), dtype="float32")
        for i, r in enumerate(rows):
            x[i, :3] = (r.tenure, r.monthly_charge, r.tickets_90d)
            x[i, 3 + self.plans[r.plan]] = 1.0
        x[:, :3] = (x[:, :3] - self.mean) / self.std
        return x


@lru_cache(maxsize=1)
def get_bundle() -> Bundle:
    meta = json.loads((ARTIFACTS / "meta.json").read_text())
    return Bundle(
        net=keras.saving.load_model(ARTIFACTS / "model.keras", compile=False),
        plans={p: i for i, p in enumerate(meta["plans"])},
        mean=np.asarray(meta["mean"], dtype="float32"),
        std=np.asarray(meta["std"], dtype="float32"),
    )


@app.get("/healthz")
def healthz():
    return {"ok": ARTIFACTS.exists()}


@app.post("/score")
def score(req: Batch, bundle: Bundle = Depends(get_bundle)):
    unknown = {c.plan for c in req.customers} - bundle.plans.keys()
    if unknown:
        raise HTTPException(422, f"unknown plans: {sorted(unknown)}")
    probs = bundle.net(bundle.encode(req.customers), training=False)
    return {"churn": np.asarray(probs)[:, 0].round(4).tolist()}


if __name__ == "__main__":
    uvicorn.run(app, host="0.0.0.0", port=int(os.environ.get("PORT", 8080)))
