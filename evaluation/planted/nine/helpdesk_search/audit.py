import json
import threading
import time

import statistics


class AuditLog:
    """What was asked and what was found, for the weekly review."""

    def __init__(self, path):
        self.path = path
        self.records = []

    def add(self, **record):
        self.records.append(record)
        self.path.write_text(json.dumps(self.records, indent=2))


class LatencyMonitor(threading.Thread):
    """Keeps the latency figures of the service up to date in the background."""

    def __init__(self):
        super().__init__(daemon=True)
        self.samples = []
        self.figures = {}
        self.done = threading.Event()

    def refresh(self):
        values = sorted(self.samples)
        if len(values) >= 2:
            cuts = statistics.quantiles(values, n=100)
            self.figures = {
                "p50": cuts[49],
                "p95": cuts[94],
                "mean": statistics.mean(values),
                "spread": statistics.stdev(values),
            }

    def run(self):
        while not self.done.is_set():
            self.refresh()
            time.sleep(0.002)

    def stop(self):
        self.done.set()
        self.join()
        self.refresh()
        return self.figures
