"""Out-of-fold crash-severity predictions."""
import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from folds import fold


def take(xs, rows):
    return [x[rows] for x in xs]


def main():
    z = np.load("crashes.npz")
    xs, y = [z["road"], z["driver"], z["weather"]], z["y"].astype(np.float32)
    oof = np.zeros(len(y))
    for k, (tr, va) in enumerate(StratifiedKFold(5, True, random_state=1).split(xs[0], y)):
        with fold(k, [x.shape[1] for x in xs], "runs") as f:
            loss = f.fit(take(xs, tr), y[tr], (take(xs, va), y[va]))
            oof[va] = f.probs(take(xs, va))
        print(k, loss, roc_auc_score(y[va], oof[va]))
    print("oof", roc_auc_score(y, oof))
    np.save("oof.npy", oof)


if __name__ == "__main__":
    main()
