import contextlib
import io
import re

import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.models import load_model

WORD = re.compile(r"\w+|[!?]", re.U)


class Encoder(object):
    def __init__(self, path, maxlen):
        with io.open(path, encoding="utf8") as fh:
            self.ids = {w.strip(): i + 2 for i, w in enumerate(fh)}
        self.maxlen = maxlen

    def __call__(self, texts):
        out = np.zeros((len(texts), self.maxlen), np.int32)
        for row, text in zip(out, texts):
            ids = [self.ids.get(w, 1) for w in WORD.findall(text.lower())][: self.maxlen]
            row[: len(ids)] = ids
        return out


@contextlib.contextmanager
def isolated(path):
    """Keras and threads do not mix, so keep everything in a private graph."""
    graph = tf.Graph()
    with graph.as_default():
        sess = tf.Session(graph=graph)  # finding: session-per-step
        try:
            K.set_session(sess)
            yield load_model(path, compile=False)  # finding: model-per-turn
        finally:
            sess.close()


class Moderator(object):
    def __init__(self, settings):
        self.cfg = settings
        self.encoders = {k: Encoder(v, settings["maxlen"]) for k, v in settings["vocabs"].items()}

    def _probabilities(self, lang, ids):
        with isolated(self.cfg["models"][lang]) as model:
            return model.predict(ids, batch_size=64)

    def judge(self, comments, lang):
        if not comments:
            return []
        probs = self._probabilities(lang, self.encoders[lang](comments))
        labels = self.cfg["labels"]
        return [
            {l: round(float(p), 4) for l, p in zip(labels, row) if p > self.cfg["threshold"]}
            for row in probs
        ]
