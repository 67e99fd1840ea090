"""uvicorn api:app --workers 2"""
from contextlib import asynccontextmanager

from fastapi import FastAPI, HTTPException

from estimator import MapEstimator
from schemas import CurveRequest, FitRequest

state = {}


@asynccontextmanager
async def lifespan(app):
    state["map"] = MapEstimator()
    yield
    state.clear()


app = FastAPI(title="tdm", lifespan=lifespan)


@app.post("/fit")
def fit(req: FitRequest):
    if len(req.times) != len(req.levels):
        raise HTTPException(422, "times and levels differ in length")
    est: MapEstimator = state["map"]
    theta = est.fit(req.patient, req.doses, req.times, req.levels, req.iterations)
    sd = est.spread(theta, req.patient, req.doses, req.times, req.levels)
    return {"log_params": theta.tolist(), "sd": sd.tolist()}


@app.post("/curve")
def curve(req: CurveRequest):
    est: MapEstimator = state["map"]
    t, c = est.curve(req.log_params, req.patient, req.doses, req.horizon)
    return {"t": t.tolist(), "c": c.tolist()}
