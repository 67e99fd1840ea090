"""Land-cover segmentation on two data-parallel ranks (gloo). `python program.py` starts torchrun itself."""
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from config import Config


def worker(root: Path):
    import torch
    import torch.distributed as dist

    import comms
    from engine import Engine
    from tiles import TileSet, band_stats

    cfg = Config()
    comms.start()
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)
    train_set = TileSet(root, range(cfg.train_shards), cfg, train=True)
    val_set = TileSet(root, range(cfg.train_shards, cfg.shards), cfg, train=False)
    stats = band_stats(train_set)
    train_set.use_stats(stats)
    val_set.use_stats(stats)
    engine = Engine(cfg, train_set, val_set, root)
    score = engine.fit()
    if comms.is_main():
        print(f"final val iou {score:.4f}", flush=True)
    dist.destroy_process_group()


def launch():
    from tiles import export

    cfg = Config()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="landcover-") as tmp:
        export(Path(tmp), cfg)
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        command += ["--nproc-per-node", str(cfg.world_size), os.path.abspath(__file__), tmp]
        done = subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1"})
    print(f"{time.perf_counter() - started:.1f} s in all")
    return done.returncode


if __name__ == "__main__":
    if "RANK" in os.environ:
        worker(Path(sys.argv[1]))
    else:
        sys.exit(launch())
