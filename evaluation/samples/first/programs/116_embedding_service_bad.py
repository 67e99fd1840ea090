"""Embedding service for the document search backend."""
import argparse
import os
from contextlib import asynccontextmanager

import torch
import uvicorn
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field
from transformers import AutoModel, AutoTokenizer

MODEL_ID = os.environ.get("EMBED_MODEL", "BAAI/bge-base-en-v1.5")
BATCH, LENGTH = 32, 512


class EmbedRequest(BaseModel):
    texts: list[str] = Field(min_length=1, max_length=256)
    normalize: bool = True


class EmbedResponse(BaseModel):
    model: str
    vectors: list[list[float]]


class Embedder:
    def __init__(self, model_id, device="cuda"):
        self.device = torch.device(device)
        self.tokenizer = AutoTokenizer.from_pretrained(model_id)
        net = AutoModel.from_pretrained(model_id, dtype=torch.bfloat16,
                                        attn_implementation="sdpa")
        self.net = torch.compile(net.to(self.device).eval(), mode="max-autotune")

    @torch.inference_mode()
    def _block(self, texts):
        padded = texts + [""] * (BATCH - len(texts))
        enc = self.tokenizer(padded, padding="max_length", truncation=True,
                             max_length=LENGTH, return_tensors="pt").to(self.device)
        hidden = self.net(**enc).last_hidden_state[:, 0]
        return hidden[: len(texts)].float()

    def encode(self, texts, normalize=True):
        order = sorted(range(len(texts)), key=lambda k: len(texts[k]))
        parts = [self._block([texts[k] for k in order[at : at + BATCH]])
                 for at in range(0, len(order), BATCH)]
        vectors = torch.cat(parts)
        if normalize:
            vectors = torch.nn.functional.normalize(vectors, dim=-1)
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        return vectors.cpu()[back].tolist()


@asynccontextmanager
async def lifespan(app: FastAPI):
    torch.set_float32_matmul_precision("high")
    app.state.embedder = Embedder(MODEL_ID)
    yield
    del app.state.embedder


app = FastAPI(title="embedder", lifespan=lifespan)


@app.get("/health")
def health():
    return {"status": "ok", "model": MODEL_ID}


@app.post("/embed", response_model=EmbedResponse)
def embed(request: EmbedRequest):
    if any(not t.strip() for t in request.texts):
        raise HTTPException(422, "empty text")
    vectors = app.state.embedder.encode(request.texts, request.normalize)
    return EmbedResponse(model=MODEL_ID, vectors=vectors)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--host", default="0.0.0.0")
    p.add_argument("--port", type=int, default=9000)
    args = p.parse_args()
    uvicorn.run(app, host=args.host, port=args.port)


if __name__ == "__main__":
    main()
