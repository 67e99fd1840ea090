"""Multi-GPU fine-tuning of a speech-unit translation model with Accelerate."""
import argparse
from dataclasses import dataclass

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import DistributedDataParallelKwargs, ProjectConfiguration, set_seed
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Config:
    vocab: int = 4100
    dim: int = 768
    layers: int = 8
    length: int = 512
    batch_size: int = 48
    epochs: int = 15
    lr: float = 2e-4
    warmup: int = 4000


class UnitPairs(Dataset):
    def __init__(self, prefix):
        self.src = np.load(f"{prefix}_src.npy", mmap_mode="r")
        self.tgt = np.load(f"{prefix}_tgt.npy", mmap_mode="r")

    def __len__(self):
        return len(self.src)

    def __getitem__(self, i):
        return (torch.from_numpy(np.array(self.src[i], np.int64)),
                torch.from_numpy(np.array(self.tgt[i], np.int64)))


class UnitTranslator(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok = nn.Embedding(cfg.vocab, cfg.dim, padding_idx=0)
        self.pos = nn.Parameter(torch.zeros(1, cfg.length, cfg.dim))
        self.core = nn.Transformer(cfg.dim, 12, cfg.layers, cfg.layers, 4 * cfg.dim,
                                   0.1, batch_first=True, norm_first=True)
        self.out = nn.Linear(cfg.dim, cfg.vocab)

    def forward(self, src, tgt, causal):
        a = self.tok(src) + self.pos[:, : src.size(1)]
        b = self.tok(tgt) + self.pos[:, : tgt.size(1)]
        h = self.core(a, b, tgt_mask=causal, tgt_is_causal=True,
                      src_key_padding_mask=src == 0, memory_key_padding_mask=src == 0)
        return self.out(h)


def make_accelerator(out_dir):
    ddp = DistributedDataParallelKwargs(gradient_as_bucket_view=True)
    project = ProjectConfiguration(project_dir=out_dir, total_limit=2)
    return Accelerator(mixed_precision="bf16", project_config=project, kwargs_handlers=[ddp])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("--out", default="runs/units")
    args = p.parse_args()
    cfg = Config()
    set_seed(0)
    torch.set_float32_matmul_precision("high")
    accelerator = make_accelerator(args.out)
    model = UnitTranslator(cfg)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, betas=(0.9, 0.98), fused=True)
    sched = torch.optim.lr_scheduler.LambdaLR(
        opt, lambda s: min((s + 1) / cfg.warmup, (cfg.warmup / (s + 1)) ** 0.5))
    loader = DataLoader(UnitPairs(args.data), cfg.batch_size, shuffle=True, num_workers=6,
                        pin_memory=True, persistent_workers=True, drop_last=True)
    model, opt, loader, sched = accelerator.prepare(model, opt, loader, sched)
    causal = nn.Transformer.generate_square_subsequent_mask(
        cfg.length - 1, device=accelerator.device)
    for epoch in range(cfg.epochs):
        for step, (src, tgt) in enumerate(loader):
            logits = model(src, tgt[:, :-1], causal)
            loss = nn.functional.cross_entropy(
                logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=0)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            opt.zero_grad()
            if step % 200 == 0:
                accelerator.print(epoch, step, loss.item())
        accelerator.save_state(f"{args.out}/epoch_{epoch}")


if __name__ == "__main__":
    main()
