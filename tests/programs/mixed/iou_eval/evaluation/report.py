import collections
import json

import numpy as np

from . import metrics


class Report(object):
    def __init__(self, threshold=0.5):
        self.threshold = threshold
        self.values = collections.defaultdict(list)

    def add(self, probability, truth):
        mask = probability > self.threshold
        self.values["iou"].append(metrics.iou(mask, truth > 0))
        self.values["dice"].append(metrics.dice(mask, truth > 0))

    def summary(self):
        return {name: float(np.mean(values)) for name, values in self.values.items()}

    def write(self, path):
        with open(path, "w") as file:
            json.dump(self.summary(), file)
