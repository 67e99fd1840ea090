"""Continue pre-training a small GPT on domain text with torchrun."""
import contextlib
import math
import os
from dataclasses import dataclass

import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from transformers import AutoModelForCausalLM, HfArgumentParser


@dataclass
class Config:
    tokens: str
    model: str = "HuggingFaceTB/SmolLM2-360M"
    seq_len: int = 2048
    micro_batch: int = 4
    accumulate: int = 16
    lr: float = 2e-4
    steps: int = 5000
    log_every: int = 20
    save_every: int = 1000


class TokenStream:
    def __init__(self, path, seq_len, batch, rank, world, device):
        self.data = np.memmap(path, dtype=np.uint16, mode="r")
        self.seq_len, self.batch, self.device = seq_len, batch, device
        self.rng = np.random.default_rng(1234 + rank)
        self.limit = len(self.data) - seq_len

    def next(self):
        starts = self.rng.integers(0, self.limit, self.batch)
        rows = np.stack([self.data[s : s + self.seq_len] for s in starts]).astype(np.int64)
        return torch.from_numpy(rows).pin_memory().to(self.device, non_blocking=True)


class Trainer:
    def __init__(self, cfg, rank, local):
        self.cfg, self.rank = cfg, rank
        self.device = torch.device("cuda", local)
        model = AutoModelForCausalLM.from_pretrained(cfg.model, attn_implementation="sdpa")
        model.config.use_cache = False
        self.model = DistributedDataParallel(model.to(self.device), device_ids=[local])
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr, betas=(0.9, 0.95), fused=True)
        self.stream = TokenStream(
            cfg.tokens, cfg.seq_len, cfg.micro_batch, rank, dist.get_world_size(), self.device
        )

    def set_lr(self, step):
        scale = min(1.0, (step + 1) / 200) * 0.5 * (1 + math.cos(math.pi * step / self.cfg.steps))
        for group in self.opt.param_groups:
            group["lr"] = self.cfg.lr * scale

    def step(self):
        total = torch.zeros((), device=self.device)
        for micro in range(self.cfg.accumulate):
            ids = self.stream.next()
            last = micro == self.cfg.accumulate - 1
            with contextlib.nullcontext() if last else self.model.no_sync():
                with torch.autocast("cuda", dtype=torch.bfloat16):
                    loss = self.model(input_ids=ids, labels=ids).loss / self.cfg.accumulate
                loss.backward()
            total += loss.detach()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.opt.step()
        self.opt.zero_grad()
        return total

    def run(self):
        for step in range(self.cfg.steps):
            self.set_lr(step)
            loss = self.step()
            if self.rank == 0 and step % self.cfg.log_every == 0:
                print(f"step {step} loss {loss.item():.4f}")
            if self.rank == 0 and step and step % self.cfg.save_every == 0:
                self.model.module.save_pretrained(f"ckpt-{step}")


def main():
    (cfg,) = HfArgumentParser(Config).parse_args_into_dataclasses()
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    Trainer(cfg, dist.get_rank(), local).run()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
