import torch
from fastapi import FastAPI
from pydantic import BaseModel

from engine import Decoder, Engine, PerRequest, Settings, classifier

app = FastAPI()
engine = Engine(Decoder(32000, 512, 8), Settings())
moderation = PerRequest("moderation.pt")


class Prompt(BaseModel):
    tokens: list[int]
    limit: int = 64
    candidates: list[int] = []


@app.post("/generate")
async def generate(prompt: Prompt):
    start = torch.tensor([prompt.tokens], device="cuda")
    return {"tokens": list(engine.tokens(start, prompt.limit))}


@app.post("/rerank")
async def rerank(prompt: Prompt):
    start = torch.tensor([prompt.tokens], device="cuda")
    rows = torch.tensor([prompt.candidates], device="cuda")
    return {"scores": engine.rerank(start, rows).tolist()}


@app.post("/moderate")
async def moderate(prompt: Prompt):
    return {"score": float(moderation(torch.tensor([prompt.tokens])).sigmoid())}


@app.post("/classify/{name}")
async def classify(name: str, prompt: Prompt):
    return {"label": int(classifier(name)(torch.tensor([prompt.tokens])).argmax())}
