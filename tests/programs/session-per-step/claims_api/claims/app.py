from typing import List

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

from .runtime import Scorer
from .settings import Settings
from .text import encode

settings = Settings()
app = FastAPI(title="claims")
scorers = {}


class Claim(BaseModel):
    number: str
    description: str


class Score(BaseModel):
    number: str
    value: float


@app.on_event("startup")
def load_models():
    for name, model in settings.models.items():
        scorers[name] = Scorer(model, settings.threads)


@app.get("/health")
def health():
    return {"models": sorted(scorers)}


@app.post("/score/{model}", response_model=List[Score])
def score(model: str, claims: List[Claim]):
    scorer = scorers.get(model)
    if scorer is None:
        raise HTTPException(status_code=404, detail=f"no model {model}")
    rows = [encode(c.description) for c in claims]
    values = scorer.score(rows)
    return [Score(number=c.number, value=v) for c, v in zip(claims, values)]
