"""Moderation micro-service: scores comments in several languages."""
import logging
import os

import torch
import uvicorn
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel
from transformers import AutoModelForSequenceClassification, AutoTokenizer

log = logging.getLogger("moderation")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
MODEL_ROOT = os.environ.get("MODEL_ROOT", "/models/moderation")
LANGUAGES = {"en": "toxic-roberta-en", "de": "toxic-gbert-de", "multi": "toxic-xlmr"}

app = FastAPI(title="moderation")


class Comments(BaseModel):
    language: str = "multi"
    texts: list[str]


class Scores(BaseModel):
    scores: list[float]


def _backend(language: str):
    path = os.path.join(MODEL_ROOT, LANGUAGES[language])
    tokenizer = AutoTokenizer.from_pretrained(path)
    model = AutoModelForSequenceClassification.from_pretrained(path, torch_dtype=torch.float16)
    return tokenizer, model.to(DEVICE).eval()


def rate(texts: list[str], language: str) -> list[float]:
    tokenizer, model = _backend(language)
    enc = tokenizer(texts, padding=True, truncation=True, max_length=256, return_tensors="pt")
    with torch.inference_mode():
        logits = model(**enc.to(DEVICE)).logits
    return logits.float().softmax(-1)[:, 1].tolist()


@app.get("/health")
def health():
    return {"status": "ok", "device": DEVICE}


@app.post("/score", response_model=Scores)
def score(req: Comments):
    if req.language not in LANGUAGES:
        raise HTTPException(422, f"unknown language {req.language}")
    if not req.texts:
        return Scores(scores=[])
    log.info("scoring %d comments (%s)", len(req.texts), req.language)
    return Scores(scores=rate(req.texts, req.language))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    uvicorn.run(app, host="0.0.0.0", port=int(os.environ.get("PORT", 8080)))
