"""The queue of requests that a service works off."""

from collections import deque

import numpy as np


def requests(count, width):
    source = np.random.default_rng(5)
    return deque(source.normal(size=(1, width)).astype("float32") for _ in range(count))


def serve(queue, answer):
    """Hands every request to `answer` until none is left; returns the replies."""
    replies = []
    while queue:
        replies.append(answer(queue.popleft()))
    return replies
