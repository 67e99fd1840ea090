"""Continue MLM pretraining on a mixed web corpus."""
import argparse

import torch
from accelerate import Accelerator
from datasets import load_from_disk
from torch.utils.data import DataLoader
from transformers import (
    AutoModelForMaskedLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    get_cosine_schedule_with_warmup,
)


def prepare(path, rows, seed, num_proc):
    corpus = load_from_disk(path)
    corpus = corpus.select_columns(["input_ids"])
    corpus = corpus.shuffle(seed=seed).select(range(min(rows, len(corpus))))
    return corpus.with_format("torch")


def build_loader(corpus, tokenizer, batch_size, workers):
    collate = DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.3,
                                              pad_to_multiple_of=64)
    return DataLoader(corpus, batch_size=batch_size, collate_fn=collate,
                      num_workers=workers, pin_memory=True, persistent_workers=True,
                      drop_last=True)


def train(model, loader, args):
    accelerator = Accelerator(mixed_precision="bf16")
    decay, plain = [], []
    for name, param in model.named_parameters():
        (plain if param.ndim < 2 or "embed" in name else decay).append(param)
    opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.01},
                             {"params": plain, "weight_decay": 0.0}],
                            lr=args.lr, betas=(0.9, 0.98), fused=True)
    total = args.epochs * len(loader)
    sched = get_cosine_schedule_with_warmup(opt, int(0.05 * total), total)
    model, opt, loader, sched = accelerator.prepare(model, opt, loader, sched)
    model.train()
    step = 0
    for _ in range(args.epochs):
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            opt.zero_grad()
            step += 1
            if step % 200 == 0:
                accelerator.print(f"{step}/{total} loss {loss.item():.3f}")
    return accelerator.unwrap_model(model)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("corpus", help="tokenised dataset saved with save_to_disk")
    p.add_argument("--model", default="answerdotai/ModernBERT-base")
    p.add_argument("--rows", type=int, default=8_000_000)
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--workers", type=int, default=8)
    p.add_argument("--lr", type=float, default=2e-4)
    p.add_argument("--seed", type=int, default=7)
    args = p.parse_args()

    torch.set_float32_matmul_precision("high")
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    model = AutoModelForMaskedLM.from_pretrained(args.model, attn_implementation="sdpa")
    corpus = prepare(args.corpus, args.rows, args.seed, args.workers)
    model = train(model, build_loader(corpus, tokenizer, args.batch_size, args.workers), args)
    model.save_pretrained("mlm-continued")


if __name__ == "__main__":
    main()
