"""Watches the vibration of a pump through a USB accelerometer and warns of worn bearings.

Samples arrive in a callback on the driver's thread; the main thread looks at the last seconds of them.
"""

import argparse
import functools
import json
import threading
import time
import urllib.request

import numpy as np
import sounddevice as sd
from scipy.signal import butter, sosfilt

BANDS = {"unbalance": (20, 60), "misaligned": (90, 130), "bearing": (1500, 4000)}


@functools.lru_cache(maxsize=None)
def window(n):
    return np.blackman(n)


class Recorder:
    def __init__(self, rate, seconds):
        self.rate = rate
        self.ring = np.zeros(rate * seconds, dtype=np.float32)
        self.position = 0
        self.lock = threading.Lock()

    def push(self, block, frames, when, status):
        with self.lock:
            where = (self.position + np.arange(frames)) % len(self.ring)
            self.ring[where] = block[:, 0]
            self.position = (self.position + frames) % len(self.ring)

    def latest(self):
        with self.lock:
            return np.roll(self.ring, -self.position)

    def loudness(self):
        return float(np.sqrt(np.mean(np.square(self.ring))))


class Monitor:
    def __init__(self, recorder, limits, notify, period=1.0):
        self.recorder = recorder
        self.limits = limits
        self.notify = notify
        self.period = period
        self.filter = butter(4, 10, "highpass", fs=recorder.rate, output="sos")
        self.frequencies = np.fft.rfftfreq(len(recorder.ring), 1 / recorder.rate)
        self.masks = {
            name: (self.frequencies >= low) & (self.frequencies < high)
            for name, (low, high) in BANDS.items()
        }
        self.stopped = threading.Event()

    def levels(self):
        samples = sosfilt(self.filter, self.recorder.latest())
        spectrum = np.abs(np.fft.rfft(samples * window(len(samples))))
        return {name: float(np.sum(spectrum[mask] ** 2)) for name, mask in self.masks.items()}

    def run(self):
        while not self.stopped.is_set():
            started = time.monotonic()
            quiet = self.recorder.loudness() < 1e-4
            peak = float(np.max(np.abs(self.recorder.ring)))
            if not quiet and peak < 0.99:
                for name, level in self.levels().items():
                    if level > self.limits[name]:
                        self.notify(name, level)
            self.stopped.wait(max(0.0, self.period - (time.monotonic() - started)))


def calibrate(recorder, turns=20):
    """Three times the usual level of each band."""
    monitor = Monitor(recorder, dict.fromkeys(BANDS, np.inf), print)
    seen = []
    for _ in range(turns):
        time.sleep(1)
        seen.append(list(monitor.levels().values()))
    return dict(zip(BANDS, 3 * np.median(np.array(seen), axis=0)))


def post(url):
    def notify(name, level):
        body = json.dumps({"fault": name, "level": level}).encode()
        urllib.request.urlopen(urllib.request.Request(url, body, method="POST"), timeout=5)

    return notify


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", type=int)
    parser.add_argument("--rate", type=int, default=16000)
    parser.add_argument("--url", required=True)
    args = parser.parse_args()
    recorder = Recorder(args.rate, seconds=8)
    with sd.InputStream(args.rate, device=args.device, channels=1, callback=recorder.push):
        monitor = Monitor(recorder, calibrate(recorder), post(args.url))
        try:
            monitor.run()
        except KeyboardInterrupt:
            monitor.stopped.set()


if __name__ == "__main__":
    main()
