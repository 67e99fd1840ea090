"""Seismic phase picker in plain JAX, with Adam and weight averaging written out."""
import tempfile
import time
from pathlib import Path

from loop import Fitter
from settings import Settings
from waves import catalogue


def main():
    cfg = Settings()
    started = time.perf_counter()
    train, val = catalogue(cfg)
    with tempfile.TemporaryDirectory(prefix="phasepick-") as tmp:
        fitter = Fitter(cfg, Path(tmp))
        threshold, score = fitter.fit(train, val)
    print(f"averaged weights: f1 {score:.4f} at {threshold:.2f}; {fitter.step} steps")
    print(f"{time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
