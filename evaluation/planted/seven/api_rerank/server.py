import asyncio
import threading

import uvicorn
from fastapi import Depends, FastAPI
from pydantic import BaseModel

from features import Tokenizer, audit, fetch_docs, fetch_profile
from ranker import Service


class RankRequest(BaseModel):
    request_id: int
    user: int
    candidates: list[int]


class Explanations:
    """Explanations are written by a worker thread."""

    def __init__(self, service):
        self.service, self.jobs, self.done = service, [], {}
        self.lock = threading.Lock()
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self):
        import time
        while True:
            with self.lock:
                job = self.jobs.pop(0) if self.jobs else None
            if job is None:
                time.sleep(0.02)
                continue
            self.done[job[0]] = self.service.explainer.generate(job[1])[0].tolist()

    async def get(self, key, ids):
        with self.lock:
            self.jobs.append((key, ids))
        while key not in self.done:
            await asyncio.sleep(0.05)
        return self.done[key]


def build_app(cfg):
    import torch
    app, service, lock = FastAPI(), Service(), asyncio.Lock()
    explain = Explanations(service)

    @app.post("/rank")
    async def rank(req: RankRequest, tok: Tokenizer = Depends(Tokenizer)):
        async with lock:
            history = await fetch_profile(cfg["store_url"], req.user)
            docs = fetch_docs(cfg["db"], req.candidates)
            model = service.variant(req.user)
            scores = service.rank(model, history, docs, tok)
            service.remember(req.request_id, scores, history)
            audit(cfg["audit"], req.user, scores)
        best = int(scores.argmax())
        why = await explain.get(req.request_id, torch.tensor([history[:48] + tok.encode(docs[best][1])]))
        return {"best": docs[best][0], "scores": scores.tolist(), "why": why}

    return app


def build_store():
    app = FastAPI()

    @app.get("/profiles/{user}")
    async def profile(user: int):
        await asyncio.sleep(0.03)
        return {"history": [(user * 31 + i) % 7000 for i in range(400)]}

    return app


def serve(app, port):
    srv = uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning"))
    threading.Thread(target=srv.run, daemon=True).start()
    return srv
