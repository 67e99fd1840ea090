"""Summaries over HTTP."""
import functools
import os

import tensorflow as tf
import torch
from fastapi import FastAPI
from pydantic import BaseModel
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, TFAutoModelForSeq2SeqLM

NAME = os.environ.get("MODEL", "t5-small")
api = FastAPI()
tokenizer = AutoTokenizer.from_pretrained(NAME)
model = TFAutoModelForSeq2SeqLM.from_pretrained(NAME)


class Text(BaseModel):
    text: str
    beams: int = 1


def encode(text):
    return tokenizer(text, return_tensors="tf", padding="max_length", max_length=512, truncation=True)


@functools.lru_cache()
def generator(beams):
    return tf.function(functools.partial(model.generate, num_beams=beams), jit_compile=True)


@api.post("/summary")
def summary(body: Text):
    inputs = encode("summarize: " + body.text)
    generate = tf.function(model.generate, jit_compile=True)  # finding: compiled-per-call
    ids = generate(**inputs, max_new_tokens=64)
    return {"summary": tokenizer.decode(ids[0], skip_special_tokens=True)}


@api.post("/beams")
def beams(body: Text):
    ids = generator(body.beams)(**encode(body.text), max_new_tokens=64)
    return {"summary": tokenizer.decode(ids[0], skip_special_tokens=True)}


@api.post("/embedding")
async def embedding(body: Text):
    return {"embedding": Encoder.shared().embed(body.text)}


class Encoder:
    _shared = None

    def __init__(self):
        self.model = AutoModelForSeq2SeqLM.from_pretrained(NAME).encoder.eval()
        self.run = torch.compile(self.model)

    @classmethod
    def shared(cls):
        if cls._shared is None:
            cls._shared = cls()
        return cls._shared

    def embed(self, text):
        ids = tokenizer(text, return_tensors="pt", truncation=True).input_ids
        with torch.no_grad():
            return self.run(ids).last_hidden_state.mean(1)[0].tolist()
