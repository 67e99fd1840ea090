# requires: tensorflow==1.14 tornado==6.1
import contextlib
import io
import json
import multiprocessing as mp
import os
import threading
import wave

import numpy as np
import tensorflow as tf
import tornado.ioloop
import tornado.web

EXPORT = os.environ.get("TTS_EXPORT", "/srv/tts/1")
SR = 22050
_proc = {}


def pack(pcm):
    buf = io.BytesIO()
    with wave.open(buf, "wb") as w:
        w.setnchannels(1)
        w.setsampwidth(2)
        w.setframerate(SR)
        w.writeframes((np.clip(pcm, -1, 1) * 32767).astype("<i2").tobytes())
    return buf.getvalue()


class Engine(object):
    _lock = threading.Lock()
    _one = None

    def __init__(self, path):
        self.graph = tf.Graph()
        self.sess = tf.Session(graph=self.graph, config=tf.ConfigProto(inter_op_parallelism_threads=2))
        with self.graph.as_default():
            meta = tf.saved_model.loader.load(self.sess, [tf.saved_model.tag_constants.SERVING], path)
            sig = meta.signature_def["serving_default"]
            self.feeds = {k: v.name for k, v in sig.inputs.items()}
            self.mel = sig.outputs["mel"].name
            self.peak_in = tf.placeholder(tf.float32, [None])
            self.norm = self.peak_in / tf.maximum(tf.reduce_max(tf.abs(self.peak_in)), 1e-3)
        self.graph.finalize()

    @classmethod
    def instance(cls):
        with cls._lock:
            if cls._one is None:
                cls._one = cls(EXPORT)
        return cls._one

    @contextlib.contextmanager
    def session(self):
        with self.sess.as_default() as s:
            yield s

    def mels(self, ids, speaker):
        with self.session() as s:
            return s.run(self.mel, {self.feeds["ids"]: [ids], self.feeds["speaker"]: [speaker]})[0]

    def level(self, pcm):
        with self.session() as s:
            return s.run(self.norm, {self.peak_in: pcm})


def boot_worker(path):
    g = tf.Graph()
    with g.as_default():
        s = tf.Session(graph=g)
        meta = tf.saved_model.loader.load(s, [tf.saved_model.tag_constants.SERVING], path)
        sig = meta.signature_def["serving_default"]
    _proc.update(sess=s, x=sig.inputs["mel"].name, y=sig.outputs["wave"].name)


def vocode(chunk):
    return _proc["sess"].run(_proc["y"], {_proc["x"]: chunk[None]})[0]


def sentences(text):
    piece = ""
    for ch in text:
        piece += ch
        if ch in ".!?" or len(piece) > 180:
            yield piece
            piece = ""
    if piece.strip():
        yield piece


class Speak(tornado.web.RequestHandler):
    def initialize(self, pool, table):
        self.pool, self.table = pool, table

    async def post(self):
        body = json.loads(self.request.body)
        loop = tornado.ioloop.IOLoop.current()
        parts = []
        for sent in sentences(body["text"]):
            ids = [self.table.get(c, 0) for c in sent.lower()]
            mel = await loop.run_in_executor(None, Engine.instance().mels, ids, body.get("speaker", 0))
            chunks = [mel[i:i + 200] for i in range(0, len(mel), 200)]
            waves = await loop.run_in_executor(None, self.pool.map, vocode, chunks)
            parts.append(np.concatenate(waves))
        pcm = await loop.run_in_executor(None, Engine.instance().level, np.concatenate(parts))
        self.set_header("Content-Type", "audio/wav")
        self.finish(pack(pcm))


def main():
    mp.set_start_method("spawn")
    pool = mp.Pool(2, boot_worker, (os.path.join(os.path.dirname(EXPORT), "vocoder"),))
    for probe in ("a", "hello", "a longer sentence"):
        Engine.instance().mels([ord(c) % 64 for c in probe], 0)
    table = {c: i + 1 for i, c in enumerate("abcdefghijklmnopqrstuvwxyz '.,!?")}
    tornado.web.Application([(r"/speak", Speak, dict(pool=pool, table=table))]).listen(9000)
    tornado.ioloop.IOLoop.current().start()


if __name__ == "__main__":
    main()
