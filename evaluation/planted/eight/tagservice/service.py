import asyncio
import itertools
import json
import os
import socket
import time

import httpx
import numpy as np
import uvicorn
from fastapi import FastAPI, HTTPException, Request
from pydantic import BaseModel

from engine import Engine


class Query(BaseModel):
    key: str
    tenant: str
    text: str
    count: int = 5


class Point(BaseModel):
    name: str
    value: float
    rank: int


class Reply(BaseModel):
    tags: list[float]
    neighbours: list[tuple[float, str]]
    boost: float
    stock: float
    profile: list[Point]


def make_features():
    features = FastAPI()
    calls = itertools.count(1)

    async def work():
        await asyncio.sleep(0.01)
        if next(calls) % 5 == 0:
            raise HTTPException(503, "busy")

    @features.get("/boost/{tenant}")
    async def boost(tenant: str):
        await work()
        return {"value": len(tenant) / 10}

    @features.get("/stock/{tenant}")
    async def stock(tenant: str):
        await work()
        return {"value": len(tenant) * 3.0}

    return features


class FeatureServer:
    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.server = uvicorn.Server(uvicorn.Config(make_features(), log_level="error", timeout_keep_alive=600))

    async def __aenter__(self):
        self.task = asyncio.create_task(self.server.serve(sockets=[self.socket]))
        while not self.server.started:
            await asyncio.sleep(0.01)
        return self

    async def __aexit__(self, *exc):
        self.server.should_exit = True
        await self.task


class FeatureClient:
    def __init__(self, url, pause=0.02):
        self.client = httpx.AsyncClient(base_url=url, timeout=60)
        self.pause = pause
        self.url = url

    async def value(self, kind, tenant):
        reply = await self.client.get(f"/{kind}/{tenant}")
        while reply.status_code == 503:
            reply = await self.again(f"/{kind}/{tenant}")
        reply.raise_for_status()
        return reply.json()["value"]

    async def again(self, path):
        time.sleep(self.pause)
        async with httpx.AsyncClient(base_url=self.url, timeout=60) as client:
            return await client.get(path)


class Audit:
    def __init__(self, path):
        self.path = path
        self.rows = []

    def add(self, request, status, seconds):
        row = {"path": request.url.path, "method": request.method, "status": status, "seconds": seconds}
        self.rows.append(row)
        self.summary()
        line = json.dumps(row)
        with open(self.path, "a") as fh:
            fh.write(line + "\n")
            fh.flush()
            os.fsync(fh.fileno())

    def summary(self):
        levels = np.percentile([row["seconds"] for row in self.rows], [50, 90, 99]).tolist()
        with open(self.path + ".summary", "w") as fh:
            json.dump({"levels": levels, "requests": self.rows}, fh)


def make_app(logfile, features_url):
    app = FastAPI()
    engine = Engine()
    features = FeatureClient(features_url)
    audit = Audit(logfile)
    app.state.engine = engine

    @app.middleware("http")
    async def timed(request: Request, call_next):
        start = time.perf_counter()
        response = await call_next(request)
        audit.add(request, response.status_code, time.perf_counter() - start)
        return response

    @app.post("/recommend", response_model=Reply)
    async def recommend(query: Query):
        boost, stock = await asyncio.gather(
            features.value("boost", query.tenant), features.value("stock", query.tenant)
        )
        vector = await engine.embed(query.text)
        return {
            "tags": engine.tag(query.tenant, vector),
            "neighbours": engine.page(query.key, vector, query.count),
            "boost": boost,
            "stock": stock,
            "profile": [
                {"name": title, "value": float(row[0]), "rank": i}
                for i, (title, row) in enumerate(zip(engine.titles, engine.catalog))
            ],
        }

    return app
