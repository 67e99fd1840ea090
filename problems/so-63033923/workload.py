"""Answering the requests; training the model comes before."""

import tempfile

STORE = tempfile.TemporaryDirectory()
STATE = {}


def setup():
    STATE["path"] = train_and_save(STORE.name)
    rng = np.random.default_rng(7)
    STATE["requests"] = [
        rng.normal(size=(4, FEATURES)).astype("float32")
        for _ in range(REQUESTS)
    ]


def work():
    return serve(RiskService(STATE["path"]), STATE["requests"])
