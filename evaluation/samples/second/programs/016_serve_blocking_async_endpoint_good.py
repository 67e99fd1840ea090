"""Embedding service for semantic search."""
import os
from contextlib import asynccontextmanager

import httpx
import torch
from fastapi import APIRouter, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, Field
from transformers import AutoModel, AutoTokenizer

NAME = os.environ.get("EMBED_MODEL", "BAAI/bge-base-en-v1.5")
INDEX_URL = os.environ.get("INDEX_URL", "http://index:7700")
router = APIRouter(prefix="/v1")


class SearchRequest(BaseModel):
    queries: list[str] = Field(min_length=1, max_length=128)
    limit: int = 10


class Embedder:
    def __init__(self, name, device):
        self.tok = AutoTokenizer.from_pretrained(name)
        self.net = AutoModel.from_pretrained(name, dtype=torch.float16).to(device).eval()
        self.device = device

    @torch.inference_mode()
    def vectors(self, texts):
        enc = self.tok(texts, padding=True, truncation=True, max_length=512, return_tensors="pt").to(self.device)
        cls = self.net(**enc).last_hidden_state[:, 0]
        return torch.nn.functional.normalize(cls.float(), dim=-1).cpu().tolist()


@asynccontextmanager
async def lifespan(app: FastAPI):
    app.state.embedder = Embedder(NAME, "cuda")
    app.state.http = httpx.AsyncClient(base_url=INDEX_URL, timeout=5.0)
    yield
    await app.state.http.aclose()


@router.get("/ping")
async def ping():
    return {"model": NAME}


@router.post("/search")
async def search(body: SearchRequest, request: Request):
    state = request.app.state
    vecs = await run_in_threadpool(state.embedder.vectors, body.queries)
    reply = await state.http.post("/knn", json={"vectors": vecs, "k": body.limit})
    reply.raise_for_status()
    hits = reply.json()["hits"]
    return {"results": [{"query": q, "hits": h} for q, h in zip(body.queries, hits)]}


app = FastAPI(lifespan=lifespan)
app.include_router(router)

if __name__ == "__main__":
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)
