from . import sources
from .steps import transform


def feed(pattern, batch_size):
    files = sources.pictures(pattern)
    decoded = transform(files, sources.decode)
    return decoded.batch(batch_size)
