"""Background thread that keeps a few batches ready."""
import collections
import threading
import time


class BatchFeeder:
    def __init__(self, loader, depth=1):
        self.loader, self.depth = loader, depth

    def _pump(self, box):
        for batch in self.loader:
            while len(box) >= self.depth:
                time.sleep(0.2)
            box.append(batch)
        box.append(None)

    def __iter__(self):
        box = collections.deque()
        threading.Thread(target=self._pump, args=(box,), daemon=True).start()
        while True:
            while not box:
                time.sleep(0.2)
            batch = box.popleft()
            if batch is None:
                return
            yield batch
