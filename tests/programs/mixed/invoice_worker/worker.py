import json
import logging
import os

import numpy as np
import pika
from PIL import Image

from reader import FieldReader, LanguageGuesser

log = logging.getLogger("invoices")


class Worker:
    def __init__(self, channel, fields, language):
        self.channel = channel
        self.fields = fields
        self.language = language

    def handle(self, channel, method, properties, body):
        job = json.loads(body)
        found = []
        for path in job["pages"]:
            page = np.asarray(Image.open(path).convert("L"), np.float32) / 255.0
            found.extend(self.fields.read(page))
        words = [name for name, _ in found]
        answer = {"id": job["id"], "fields": found, "language": self.language.guess(words)}
        channel.basic_publish("", "answers", json.dumps(answer))
        channel.basic_ack(method.delivery_tag)

    def run(self):
        self.channel.basic_consume("invoices", self.handle)
        self.channel.start_consuming()


def main():
    with open(os.environ.get("LABELS", "labels.txt")) as lines:
        labels = [line.strip() for line in lines]
    connection = pika.BlockingConnection(pika.ConnectionParameters("broker"))
    channel = connection.channel()
    channel.queue_declare("invoices")
    worker = Worker(channel, FieldReader("fields.pb", labels), LanguageGuesser("language.pb"))
    try:
        worker.run()
    except KeyboardInterrupt:
        log.info("stopped")
    finally:
        connection.close()


if __name__ == "__main__":
    main()
