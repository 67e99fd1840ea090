"""Answering the requests; training the model comes before."""

import tempfile

STORE = tempfile.TemporaryDirectory()
STATE = {}


def setup():
    STATE["path"] = train_and_save(STORE.name)  # noqa: F821
    rng = np.random.default_rng(7)  # noqa: F821
    STATE["requests"] = [
        rng.normal(size=(4, FEATURES)).astype("float32")  # noqa: F821
        for _ in range(REQUESTS)  # noqa: F821
    ]


def work():
    return serve(RiskService(STATE["path"]), STATE["requests"])  # noqa: F821
