import os

import numpy as np
import torch
from fastapi import FastAPI
from pydantic import BaseModel

from . import world
from .policies import actor

app = FastAPI()
N_OBS, N_ACT = 48, 12
MODEL = world.load(os.environ.get("WORLD", "/policies/world.npz"))


class Query(BaseModel):
    robot: str
    obs: list[list[float]]
    plan: bool = False
    horizon: int = 24


@app.post("/act")
def act(q: Query):
    obs = np.asarray(q.obs, np.float32)
    if q.plan:
        plan = world.optimise(MODEL, obs, q.horizon, N_ACT)
        value = world.imagine(MODEL, obs, plan)
        return {"action": np.asarray(plan[0]).tolist(), "value": np.asarray(value).tolist()}
    a = actor(q.robot, N_OBS, N_ACT).act(torch.from_numpy(obs))
    return {"action": a.numpy().tolist()}


@app.on_event("startup")
def warm():
    for name in ("spot", "anymal"):
        actor(name, N_OBS, N_ACT).act(torch.zeros(1, N_OBS), greedy=True)
