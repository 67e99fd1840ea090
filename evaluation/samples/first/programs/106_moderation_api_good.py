"""HTTP service for comment moderation."""
import argparse
import asyncio
import os
from contextlib import asynccontextmanager

import torch
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from transformers import AutoModelForSequenceClassification, AutoTokenizer

MODEL_ID = os.environ.get("MODEL_ID", "unitary/unbiased-toxic-roberta")


class Comment(BaseModel):
    id: str
    text: str


class Moderator:
    def __init__(self, model_id, device="cuda"):
        self.tokenizer = AutoTokenizer.from_pretrained(model_id)
        self.model = AutoModelForSequenceClassification.from_pretrained(
            model_id, torch_dtype=torch.float16, attn_implementation="sdpa").to(device).eval()
        self.labels = self.model.config.id2label
        self.device = device

    @torch.inference_mode()
    def classify(self, texts):
        enc = self.tokenizer(texts, padding=True, truncation=True, max_length=256,
                             pad_to_multiple_of=32, return_tensors="pt").to(self.device)
        scores = self.model(**enc).logits.float().sigmoid().tolist()
        return [{self.labels[k]: s for k, s in enumerate(row)} for row in scores]


class Batcher:
    def __init__(self, fn, max_size=64, wait=0.004):
        self.fn, self.max_size, self.wait = fn, max_size, wait
        self.queue = asyncio.Queue()

    async def submit(self, text):
        future = asyncio.get_running_loop().create_future()
        await self.queue.put((text, future))
        return await future

    async def run(self):
        while True:
            jobs = [await self.queue.get()]
            await asyncio.sleep(self.wait)
            while len(jobs) < self.max_size and not self.queue.empty():
                jobs.append(self.queue.get_nowait())
            results = await asyncio.to_thread(self.fn, [t for t, _ in jobs])
            for (_, future), result in zip(jobs, results):
                future.set_result(result)


@asynccontextmanager
async def lifespan(app):
    app.state.moderator = Moderator(MODEL_ID)
    app.state.moderator.classify(["hello"])
    app.state.batcher = Batcher(app.state.moderator.classify)
    task = asyncio.create_task(app.state.batcher.run())
    yield
    task.cancel()


app = FastAPI(lifespan=lifespan)


@app.get("/health")
def health():
    return {"model": MODEL_ID, "gpu": torch.cuda.is_available()}


@app.post("/moderate")
async def moderate(comment: Comment):
    scores = await app.state.batcher.submit(comment.text)
    return {"id": comment.id, "scores": scores, "flag": max(scores.values()) > 0.8}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--host", default="0.0.0.0")
    p.add_argument("--port", type=int, default=8080)
    args = p.parse_args()
    uvicorn.run(app, host=args.host, port=args.port)


if __name__ == "__main__":
    main()
