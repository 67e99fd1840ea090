import os
import tempfile
import time

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

import jax

from data import make_molecules
from model import init
from train import Run


def main():
    train = make_molecules(128, 1)
    val = make_molecules(12, 2)
    params = init(jax.random.PRNGKey(0))
    with tempfile.TemporaryDirectory() as outdir:
        run = Run(params, train, val, os.path.join(outdir, "log.json"))
        for epoch in range(3):
            loss = run.epoch()
            mae, (low, high) = run.evaluate()
            print(f"epoch {epoch} loss {loss:.4f} val mae {mae:.4f} ({low:.4f}-{high:.4f})", flush=True)
    print(f"cpu {time.process_time():.1f}s")


if __name__ == "__main__":
    main()
