# /// script
# requires-python = "==3.8.*"
# dependencies = [
#   "tensorflow==2.2.0",
#   "redis>=4.5",
#   "numpy",
# ]
# ///
"""Queue worker: scores bulk jobs from Redis with the uplift model."""
import argparse
import io
import json
import logging
import signal

import numpy as np
import redis
import tensorflow as tf

log = logging.getLogger("uplift")


class Worker:
    def __init__(self, url, model, batch):
        self.db = redis.Redis.from_url(url)
        self.model = tf.keras.models.load_model(model, compile=False)
        self.batch = batch
        self.running = True
        signal.signal(signal.SIGTERM, self.stop)

    def stop(self, *_):
        self.running = False

    def fetch(self):
        item = self.db.blpop("uplift:jobs", timeout=5)
        return json.loads(item[1]) if item else None

    def matrix(self, key):
        raw = self.db.get(key)
        if raw is None:
            raise KeyError(key)
        return np.load(io.BytesIO(raw)).astype("float32")

    def handle(self, job):
        x = self.matrix(job["features"])
        treated, control = x.copy(), x.copy()
        treated[:, job["flag"]], control[:, job["flag"]] = 1.0, 0.0
        scores = self.model.predict(np.concatenate([treated, control]), batch_size=self.batch)
        up = scores[: len(x), 0] - scores[len(x) :, 0]
        buf = io.BytesIO()
        np.save(buf, up.astype("float32"))
        self.db.set(job["result"], buf.getvalue(), ex=86_400)
        log.info("job %s: %d rows, mean uplift %.4f", job["id"], len(x), up.mean())

    def loop(self):
        while self.running:
            job = self.fetch()
            if job is None:
                continue
            try:
                self.handle(job)
            except (KeyError, ValueError):
                log.exception("job %s failed", job.get("id"))
                self.db.rpush("uplift:failed", json.dumps(job))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--redis", default="redis://queue:6379/0")
    ap.add_argument("--model", default="/srv/models/uplift.h5")
    ap.add_argument("--batch", type=int, default=8192)
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    Worker(args.redis, args.model, args.batch).loop()


if __name__ == "__main__":
    main()
