from functools import lru_cache

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, pipeline

NAME = "unitary/toxic-bert"


@lru_cache(maxsize=1)
def shared():
    tokenizer = AutoTokenizer.from_pretrained(NAME)
    model = AutoModelForSequenceClassification.from_pretrained(NAME)
    return tokenizer, model.eval()


def score(texts):
    tokenizer, model = shared()
    encoded = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    with torch.inference_mode():
        return torch.sigmoid(model(**encoded).logits[:, 0]).tolist()


def language(text):
    detector = pipeline("text-classification", model="papluca/xlm-roberta-base-language-detection")  # finding: model-per-turn
    return detector(text)[0]["label"]


class Summaries:
    def __init__(self):
        self.pipe = pipeline("summarization", model="facebook/bart-large-cnn", device=0)

    def slow(self, comments):
        short = []
        for comment in comments:
            short.append(self.pipe(comment, max_length=40)[0]["summary_text"])  # finding: predict-per-item
        return short

    def quick(self, comments):
        return [out["summary_text"] for out in self.pipe(comments, batch_size=16, max_length=40)]


def rank(comments):
    """Scores comments that wait in the moderation queue."""
    tokenizer, model = shared()
    scores = []
    with torch.no_grad():
        for comment in comments:
            inputs = tokenizer(comment, return_tensors="pt", truncation=True)
            logits = model(**inputs).logits  # finding: predict-per-item
            scores.append(logits.softmax(-1)[0, 1].item())
    return sorted(zip(scores, comments), reverse=True)
