import os
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from learner import Learner

RANKS = 2
ITERATIONS = 300


def run(rank, outdir):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{outdir}/store", rank=rank, world_size=RANKS)
    learner = Learner(rank, outdir)
    for iteration in range(ITERATIONS):
        learner.collect(noise=max(0.1, 1 - iteration / 150))
        if iteration >= 20:
            loss = learner.learn()
        learner.report(iteration)
        if iteration % 50 == 49:
            score = learner.evaluate()
            learner.save(iteration)
            if rank == 0:
                recent = learner.returns[-20:]
                mean = sum(recent) / max(len(recent), 1)
                print(f"iteration {iteration} loss {float(loss):.4f} return {mean:.3f} eval {score:.3f}", flush=True)
    print(f"rank {rank} cpu {time.process_time():.1f}s", flush=True)
    dist.destroy_process_group()


def main():
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    with tempfile.TemporaryDirectory() as outdir:
        mp.spawn(run, args=(outdir,), nprocs=RANKS)


if __name__ == "__main__":
    main()
