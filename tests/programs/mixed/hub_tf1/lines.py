import contextlib
import io
import itertools


def chunks(rows, size):
    rows = iter(rows)
    while True:
        chunk = list(itertools.islice(rows, size))
        if not chunk:
            return
        yield chunk


def read(path):
    with io.open(path, encoding="utf-8") as handle:
        for line in handle:
            yield line.strip()


@contextlib.contextmanager
def timed(name):
    import time

    started = time.time()
    yield
    print("%s took %.1f s" % (name, time.time() - started))
