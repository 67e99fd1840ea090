"""Client of the profile store (a separate HTTP service) and text features."""
import re
import sqlite3
import time

import httpx
import numpy as np


def open_store(path, n_users=2000, n_docs=6000):
    db = sqlite3.connect(path)
    db.execute("create table docs (doc_id integer, title text, age real)")
    rng = np.random.default_rng(0)
    db.executemany("insert into docs values (?,?,?)",
                   [(i, f"doc {i} " + " ".join(rng.choice(WORDS, 12)), float(rng.random()))
                    for i in range(n_docs)])
    db.commit()
    db.close()


WORDS = [f"{a}{b}" for a in ("red", "blue", "fast", "slow", "tiny", "grand")
         for b in ("car", "boat", "house", "tree", "phone", "lamp", "chair", "desk")]


def fetch_docs(path, ids):
    db = sqlite3.connect(path)
    rows = []
    for i in ids:
        rows += db.execute("select doc_id, title, age from docs where doc_id = ?", (i,)).fetchall()
    db.close()
    return rows


async def fetch_profile(base_url, user):
    async with httpx.AsyncClient() as client:
        r = await client.get(f"{base_url}/profiles/{user}", timeout=60)
        return r.json()["history"]


def audit(path, user, scores):
    """The audit trail must survive a crash of the server."""
    with open(path, "a") as f:
        f.write(f"{time.time()} user={user} scores={scores.tolist()!r}\n")
        f.flush()
    time.sleep(0.01)


class Tokenizer:
    def __init__(self):
        grams = {}
        for w in WORDS:
            for v in range(150):
                grams.setdefault(f"{w}{v}", len(grams) + 1)
                grams.setdefault(w, len(grams) + 1)
        self.vocab = dict(sorted(grams.items()))

    def encode(self, text, length=16):
        ids = [self.vocab.get(t, 0) for t in re.findall(r"\w+", text.lower())][:length]
        return ids + [0] * (length - len(ids))
