"""Reads messages from a queue and writes verdicts back."""
import argparse
import json
import logging

import redis

from model import SpamModel

log = logging.getLogger("spam")


def handle(model, message):
    texts = [message["subject"] + " " + message["body"]]
    score = float(model.score(texts)[0])
    return {"id": message["id"], "spam": score > 0.8, "score": score}


def serve(model, queue, source, sink):
    while True:
        _, raw = queue.blpop(source)
        try:
            message = json.loads(raw)
        except ValueError:
            log.warning("not JSON: %r", raw[:80])
            continue
        verdict = handle(model, message)
        queue.rpush(sink, json.dumps(verdict))
        log.info("%s %.3f", verdict["id"], verdict["score"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--redis", default="localhost")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    serve(SpamModel(args.model), redis.Redis(args.redis), "mail:in", "mail:out")


if __name__ == "__main__":
    main()
