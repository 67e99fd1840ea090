# requires: torch==2.2.*
"""Comment moderation endpoint."""
import logging
import time
from contextlib import asynccontextmanager

import torch
from fastapi import FastAPI
from pydantic import BaseModel
from transformers import AutoModelForSequenceClassification, AutoTokenizer

NAME = "unitary/toxic-bert"
log = logging.getLogger("moderation")
state = {}


class Comments(BaseModel):
    texts: list[str]
    threshold: float = 0.5


class Verdict(BaseModel):
    text: str
    labels: dict[str, float]
    blocked: bool


@asynccontextmanager
async def lifespan(app):
    state["tokenizer"] = AutoTokenizer.from_pretrained(NAME)
    state["model"] = AutoModelForSequenceClassification.from_pretrained(NAME).cuda().eval()
    yield
    state.clear()


app = FastAPI(lifespan=lifespan)


def scores(logits):
    return torch.sigmoid(logits.float()).cpu().tolist()


@torch.inference_mode()
def classify(texts):
    model = state["model"]
    tokens = state["tokenizer"](texts, padding="max_length", truncation=True, max_length=128, return_tensors="pt")
    tokens = {k: v.cuda() for k, v in tokens.items()}

    def run(**kw):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return model(**kw).logits

    fast = torch.compile(run, mode="reduce-overhead")
    return scores(fast(**tokens))


@app.get("/health")
def health():
    return {"ok": "model" in state}


@app.post("/moderate", response_model=list[Verdict])
def moderate(comments: Comments):
    started = time.perf_counter()
    names = state["model"].config.id2label
    out = []
    for start in range(0, len(comments.texts), 32):
        part = comments.texts[start:start + 32]
        for text, row in zip(part, classify(part)):
            labels = {names[i]: v for i, v in enumerate(row)}
            out.append(Verdict(text=text, labels=labels, blocked=max(row) > comments.threshold))
    log.info("%d comments in %.3fs", len(out), time.perf_counter() - started)
    return out
