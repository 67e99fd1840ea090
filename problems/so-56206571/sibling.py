"""Arrival times at the detectors of an experiment: which one was hit first?"""

import torch

EVENTS = 300
DETECTORS = 16


class FirstHit:
    def __init__(self, silent):
        self.silent = silent

    def in_event(self, times):
        heard = times.masked_fill(times == self.silent, float("inf"))
        return heard.argmin()

    def __call__(self, events):
        return torch.stack(list(map(self.in_event, events)))  # finding


def main():
    torch.manual_seed(56)
    times = torch.rand(EVENTS, DETECTORS)
    times[torch.rand(EVENTS, DETECTORS) < 0.4] = 0.0
    times[:, 0] = 2.0
    hits = FirstHit(silent=0.0)(times)
    return torch.bincount(hits, minlength=DETECTORS)


if __name__ == "__main__":
    print(main())
