# requires: tensorflow==2.13.*
import os

import uvicorn
from fastapi import FastAPI, HTTPException
from models import Forecaster, Registry
from pydantic import BaseModel

app = FastAPI(title="Load forecasts")
registry = Registry(os.environ.get("MODELS", "/models"))


class Query(BaseModel):
    region: str
    history: list[list[float]]
    horizon: int = 24


class Answer(BaseModel):
    region: str
    values: list[float]


@app.post("/forecast", response_model=Answer)
def forecast(query: Query):
    if not 1 <= query.horizon <= 168:
        raise HTTPException(422, "horizon must be 1 to 168 hours")
    model = registry.get(query.region)
    values = Forecaster(model, query.horizon).predict(query.history)
    return Answer(region=query.region, values=values.tolist())


if __name__ == "__main__":
    uvicorn.run(app, host="0.0.0.0", port=8000)
