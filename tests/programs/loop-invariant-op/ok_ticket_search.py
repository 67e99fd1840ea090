"""Finds old support tickets that resemble a new one. Redis queue in, Redis hash out."""
import json
import logging
import os
import queue
import signal
import threading

import numpy as np
import redis
import torch
import torch.nn.functional as F
from sentence_transformers import SentenceTransformer

log = logging.getLogger("tickets")


class Index:
    def __init__(self, folder, device):
        self.ids = json.load(open(os.path.join(folder, "ids.json")))
        vectors = np.load(os.path.join(folder, "vectors.npy"))
        self.vectors = torch.from_numpy(vectors).to(device)
        age = np.load(os.path.join(folder, "age_days.npy"))
        self.age = torch.from_numpy(age).float().to(device)

    def __len__(self):
        return len(self.ids)

    def search(self, queries, k, half_life=180.0):
        q = F.normalize(queries, dim=-1)
        v = F.normalize(self.vectors, dim=-1)
        scores = q @ v.t()
        decay = torch.exp2(-self.age / half_life)
        top, idx = torch.topk(scores * decay, k, dim=-1)
        return [
            [(self.ids[j], s) for j, s in zip(js, ss)]
            for js, ss in zip(idx.tolist(), top.tolist())
        ]


class Worker(threading.Thread):
    def __init__(self, encoder, index, inbox, outbox, max_batch=32):
        super().__init__(daemon=True)
        self.encoder = encoder
        self.index = index
        self.inbox = inbox
        self.outbox = outbox
        self.max_batch = max_batch
        self.stop = threading.Event()

    def take(self):
        batch = [self.inbox.get()]
        while len(batch) < self.max_batch:
            try:
                batch.append(self.inbox.get_nowait())
            except queue.Empty:
                break
        return batch

    def run(self):
        while not self.stop.is_set():
            batch = self.take()
            texts = [b["text"] for b in batch]
            with torch.no_grad():
                emb = self.encoder.encode(texts, convert_to_tensor=True)
                hits = self.index.search(emb, k=10)
            for b, h in zip(batch, hits):
                self.outbox.put((b["id"], h))


def publish(client, outbox):
    while True:
        key, hits = outbox.get()
        client.hset("similar", key, json.dumps(hits))


def main():
    logging.basicConfig(level=logging.INFO)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    encoder = SentenceTransformer("all-MiniLM-L6-v2", device=device)
    index = Index(os.environ["INDEX_DIR"], device)
    log.info("%d tickets", len(index))
    client = redis.Redis.from_url(os.environ.get("REDIS_URL", "redis://localhost"))
    inbox, outbox = queue.Queue(1000), queue.Queue()
    worker = Worker(encoder, index, inbox, outbox)
    worker.start()
    threading.Thread(target=publish, args=(client, outbox), daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: worker.stop.set())
    while not worker.stop.is_set():
        item = client.blpop("tickets:new", timeout=5)
        if item is not None:
            inbox.put(json.loads(item[1]))


if __name__ == "__main__":
    main()
