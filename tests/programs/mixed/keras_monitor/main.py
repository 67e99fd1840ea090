import sys

import numpy as np

from monitor import Committee, DropRate, build, train, weight_norms


def read(path, size=128):
    data = np.load(path)
    x, y = data["x"], np.eye(10)[data["y"]]
    return lambda: ((x[i : i + size], y[i : i + size]) for i in range(0, len(x), size))


if __name__ == "__main__":
    batches = read(sys.argv[1])
    model = build(40, 10)
    train(model, batches, epochs=20)
    committee = Committee(model)
    doubts = committee.doubt(x for x, _ in batches())
    print(doubts.mean(), weight_norms(model))
    data = np.load(sys.argv[1])
    model.fit(data["x"], np.eye(10)[data["y"]], epochs=5, callbacks=[DropRate()])
