"""Routes support tickets: a classifier, a summariser and a search index. Hugging Face."""

from __future__ import annotations

import dataclasses
import logging
import sqlite3

import pandas as pd
import torch
from fastapi import FastAPI
from transformers import (
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    pipeline,
)

log = logging.getLogger(__name__)
app = FastAPI()
router = pipeline("text-classification", model="acme/ticket-router")
ENCODER = "sentence-transformers/all-MiniLM-L6-v2"


@dataclasses.dataclass
class Ticket:
    number: int
    text: str
    team: str = ""
    summary: str = ""


def read_tickets(path: str) -> list[Ticket]:
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT number, text FROM tickets WHERE team IS NULL")
        return [Ticket(*row) for row in rows]


def route(tickets: list[Ticket]) -> None:
    for ticket in tickets:
        answer = router(ticket.text[:2000])[0]  # finding: predict-per-item
        ticket.team = answer["label"]


def route_frame(frame: pd.DataFrame) -> pd.DataFrame:
    frame["team"] = [answer["label"] for answer in router(frame["text"].tolist(), batch_size=64)]
    return frame


class Summariser:
    def __init__(self, name: str = "google/flan-t5-base") -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(name)
        self.model = AutoModelForSeq2SeqLM.from_pretrained(name).eval()

    @torch.inference_mode()
    def __call__(self, texts: list[str]) -> list[str]:
        summaries = []
        for text in texts:
            inputs = self.tokenizer("summarize: " + text, return_tensors="pt", truncation=True)
            tokens = self.model.generate(**inputs, max_new_tokens=60)  # finding: predict-per-item
            summaries.append(self.tokenizer.decode(tokens[0], skip_special_tokens=True))
        return summaries


@app.post("/sentiment")
def sentiment(text: str) -> dict[str, float]:
    tokenizer = AutoTokenizer.from_pretrained("acme/sentiment")
    model = AutoModelForSequenceClassification.from_pretrained("acme/sentiment")  # finding: model-per-turn
    with torch.no_grad():
        logits = model(**tokenizer(text, return_tensors="pt")).logits[0]
    scores = logits.softmax(-1).tolist()
    return dict(zip(["negative", "neutral", "positive"], scores))


@app.post("/route")
def route_one(text: str) -> dict[str, str]:
    return {"team": router(text)[0]["label"]}


def pooled(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Mean over the tokens of each text that aren't padding."""
    rows = []
    for state, keep in zip(states, mask):
        rows.append((state * keep[:, None]).sum(0) / keep.sum())  # finding: per-slice-op
    return torch.stack(rows)


def compare_models(names: list[str], texts: list[str]) -> dict[str, list]:
    """Three candidates, each asked about all texts; they have to be loaded one by one."""
    answers = {}
    for name in names:
        candidate = pipeline("text-classification", model=name, batch_size=32)
        answers[name] = candidate(texts)
    return answers


def main(path: str) -> None:
    tickets = read_tickets(path)
    route(tickets)
    summariser = Summariser()
    for ticket, summary in zip(tickets, summariser([t.text for t in tickets])):
        ticket.summary = summary
    frame = route_frame(pd.DataFrame(dataclasses.asdict(t) for t in tickets))
    frame.to_csv("routed.csv")
    log.info("%d tickets routed", len(frame))
    print(compare_models(["acme/small", "acme/large"], frame["text"].tolist()[:50]))


if __name__ == "__main__":
    main("tickets.db")
