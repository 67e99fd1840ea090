import time

from fastapi import FastAPI
from pydantic import BaseModel


class Ask(BaseModel):
    request_id: str
    user: str
    text: str


class Hit(BaseModel):
    passage: int
    score: float
    text: str


class Answer(BaseModel):
    request_id: str
    tier: str
    hits: list[Hit]


class QueryVectors:
    """Vectors of the questions that were asked before."""

    def __init__(self, encoder, settings):
        self.encoder = encoder
        self.known = {}

    async def get(self, ask, text):
        key = (ask.request_id, text)
        if key not in self.known:
            self.known[key] = self.encoder.encode([text])[0]
        return self.known[key]


def create_app(encoder, index, normaliser, profiles, audit, monitor, settings):
    app = FastAPI()
    vectors = QueryVectors(encoder, settings)

    @app.post("/search", response_model=Answer)
    async def search(ask: Ask):
        began = time.perf_counter()
        profile = profiles.get(ask.user)
        text = normaliser(ask.text)
        vector = await vectors.get(ask, text)
        found = index.search(vector)
        hits = [Hit(passage=i, score=score, text=index.passages[i]) for i, score in found]
        audit.add(
            request_id=ask.request_id, user=ask.user, text=text, hits=[h.model_dump() for h in hits], at=time.time()
        )
        monitor.samples.append(time.perf_counter() - began)
        return Answer(request_id=ask.request_id, tier=profile["tier"], hits=hits)

    return app
