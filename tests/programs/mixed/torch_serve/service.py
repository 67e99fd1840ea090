"""A small question-answering service."""
import time
from pathlib import Path

import torch
from fastapi import FastAPI
from pydantic import BaseModel
from transformers import AutoModelForSequenceClassification, AutoTokenizer, pipeline

MODEL = "distilbert-base-uncased"
app = FastAPI()
tokenizer = AutoTokenizer.from_pretrained(MODEL)
model = AutoModelForSequenceClassification.from_pretrained(MODEL).eval()


class Question(BaseModel):
    text: str


def load_checkpoint(path):
    net = torch.jit.load(path)  # finding: model-per-turn
    net.eval()
    return net


@app.post("/classify")
def classify(question: Question):
    inputs = tokenizer(question.text, return_tensors="pt", truncation=True)
    with torch.inference_mode():
        return {"label": int(model(**inputs).logits.argmax())}


@app.post("/sentiment")
def sentiment(question: Question):
    analyse = pipeline("sentiment-analysis", model=MODEL)  # finding: model-per-turn
    return analyse(question.text)[0]


@app.post("/embed")
async def embed(question: Question):
    net = load_checkpoint("/models/encoder.pt")
    tokens = tokenizer(question.text, return_tensors="pt")
    return net(tokens["input_ids"]).tolist()


@app.post("/compiled")
def compiled(question: Question):
    fast = torch.compile(model)
    return fast(**tokenizer(question.text, return_tensors="pt")).logits.tolist()


def watch(folder: Path):
    seen = {}
    while True:
        for path in folder.glob("*.pt"):
            if path not in seen:
                seen[path] = load_checkpoint(path)
        time.sleep(60)


def compare(paths, batch):
    return {path: torch.load(path, weights_only=False)(batch) for path in paths}
