"""Small wrappers around torch.distributed."""
import os
from datetime import timedelta

import torch
import torch.distributed as dist


def start():
    dist.init_process_group("gloo", timeout=timedelta(minutes=10))
    return dist.get_rank(), dist.get_world_size()


def is_main():
    return dist.get_rank() == 0


def wait_for_all():
    dist.barrier()


def gather(value):
    """The values of all ranks, as a list, on each rank."""
    bucket = [None] * dist.get_world_size()
    dist.all_gather_object(bucket, value)
    return bucket


def mean_over_ranks(value):
    t = torch.tensor(float(value))
    dist.all_reduce(t)
    return (t / dist.get_world_size()).item()


def launched():
    return "RANK" in os.environ
