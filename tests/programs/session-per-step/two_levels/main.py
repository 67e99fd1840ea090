import sys

import numpy as np
from ocr.reader import Reader


def main():
    reader = Reader()
    for path in sys.argv[1:]:
        lines = np.load(path, allow_pickle=True)
        print(reader.page(lines).decode())


if __name__ == "__main__":
    main()
