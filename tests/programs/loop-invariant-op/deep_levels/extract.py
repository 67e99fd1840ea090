import sys

import numpy as np
from speech.features import normalized


def main(paths):
    for path in paths:
        power = np.load(path)
        np.save(path.replace(".npy", ".mel.npy"), normalized(power))


if __name__ == "__main__":
    main(sys.argv[1:])
