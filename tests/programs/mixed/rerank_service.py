# requires: torch==2.2 transformers==4.38 aiohttp==3.9
import argparse
import asyncio
import collections
import contextlib
import logging

import torch
from aiohttp import web
from transformers import AutoModelForSequenceClassification, AutoTokenizer

log = logging.getLogger("rerank")
Job = collections.namedtuple("Job", "query docs future")


class Engine:
    def __init__(self, name, device="cuda", half=True):
        self.tok = AutoTokenizer.from_pretrained(name)
        net = AutoModelForSequenceClassification.from_pretrained(name).eval().to(device)
        self.net = net.half() if half else net
        self.device = device
        self.served = 0

    @contextlib.contextmanager
    def compiled(self, dynamic):
        torch._dynamo.reset()
        fast = torch.compile(self.net, dynamic=dynamic)  # finding: compiled-per-call, buggy-version
        try:
            with torch.inference_mode():
                yield fast
        finally:
            self.served += 1

    def encode(self, query, docs):
        enc = self.tok([query] * len(docs), docs, truncation=True, max_length=512, padding=True,
                       pad_to_multiple_of=64, return_tensors="pt")
        return enc.to(self.device)

    def score(self, query, docs):
        enc = self.encode(query, docs)
        with self.compiled(dynamic=len(docs) > 1) as net:
            return net(**enc).logits.squeeze(-1).float().cpu().tolist()


class Worker:
    def __init__(self, engine):
        self.engine = engine
        self.queue = asyncio.Queue(maxsize=256)

    async def submit(self, query, docs):
        fut = asyncio.get_running_loop().create_future()
        await self.queue.put(Job(query, docs, fut))
        return await fut

    async def pump(self):
        loop = asyncio.get_running_loop()
        while True:
            job = await self.queue.get()
            try:
                res = await loop.run_in_executor(None, self.engine.score, job.query, job.docs)
            except Exception as e:
                log.exception("failed")
                job.future.set_exception(e)
            else:
                job.future.set_result(res)


def build_app(engine):
    app = web.Application()

    async def start(app):
        app["worker"] = Worker(engine)
        app["task"] = asyncio.create_task(app["worker"].pump())

    async def rerank(request):
        body = await request.json()
        s = await request.app["worker"].submit(body["query"], body["docs"])
        order = sorted(range(len(s)), key=s.__getitem__, reverse=True)
        return web.json_response({"order": order, "scores": s})

    app.on_startup.append(start)
    app.router.add_post("/rerank", rerank)
    return app


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--model", default="BAAI/bge-reranker-base")
    ap.add_argument("--port", type=int, default=8080)
    ns = ap.parse_args()
    web.run_app(build_app(Engine(ns.model)), port=ns.port)
