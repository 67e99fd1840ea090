"""LoRA tuning of a text-to-SQL model with accelerate."""
import argparse
from pathlib import Path

import torch
from accelerate import Accelerator
from datasets import load_dataset
from peft import LoraConfig, get_peft_model
from torch.utils.data import DataLoader
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    get_cosine_schedule_with_warmup,
)

TEMPLATE = "### Schema\n{schema}\n### Question\n{question}\n### SQL\n"


class SqlData:
    def __init__(self, tokenizer, max_length=1024):
        self.tokenizer = tokenizer
        self.max_length = max_length

    def __call__(self, batch):
        prompts = [TEMPLATE.format(schema=s, question=q) for s, q in zip(batch["schema"], batch["question"])]
        full = self.tokenizer(
            [p + s + self.tokenizer.eos_token for p, s in zip(prompts, batch["sql"])],
            truncation=True, max_length=self.max_length,
        )
        heads = self.tokenizer(prompts, truncation=True, max_length=self.max_length)["input_ids"]
        full["labels"] = [[-100] * len(h) + ids[len(h) :] for h, ids in zip(heads, full["input_ids"])]
        return full


class Run:
    def __init__(self, out, every):
        self.out = Path(out)
        self.every = every
        self.accelerator = Accelerator(mixed_precision="bf16")

    def snapshot(self, model, opt, sched, step):
        if not self.accelerator.is_main_process:
            return
        self.out.mkdir(parents=True, exist_ok=True)
        state = {
            "model": self.accelerator.unwrap_model(model).state_dict(),
            "optimizer": opt.state_dict(),
            "scheduler": sched.state_dict(),
            "step": step,
        }
        torch.save(state, self.out / "last.pt")

    def fit(self, model, opt, sched, loader, epochs):
        model, opt, sched, loader = self.accelerator.prepare(model, opt, sched, loader)
        step = 0
        for epoch in range(epochs):
            model.train()
            for batch in loader:
                loss = model(**batch).loss
                self.accelerator.backward(loss)
                self.accelerator.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
                sched.step()
                opt.zero_grad()
                step += 1
                if step % self.every == 0:
                    self.accelerator.print(f"{epoch} {step} {loss.item():.4f}")
                self.snapshot(model, opt, sched, step)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("data")
    ap.add_argument("--model", default="Qwen/Qwen2.5-Coder-1.5B")
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--batch-size", type=int, default=8)
    ap.add_argument("--log-every", type=int, default=50)
    ap.add_argument("--out", default="runs/sql")
    args = ap.parse_args()
    tok = AutoTokenizer.from_pretrained(args.model)
    ds = load_dataset("json", data_files=args.data, split="train")
    ds = ds.map(SqlData(tok), batched=True, num_proc=8, remove_columns=ds.column_names)
    loader = DataLoader(
        ds, args.batch_size, shuffle=True, drop_last=True, num_workers=4, pin_memory=True,
        persistent_workers=True, collate_fn=DataCollatorForSeq2Seq(tok, pad_to_multiple_of=8),
    )
    base = AutoModelForCausalLM.from_pretrained(args.model, torch_dtype=torch.bfloat16)
    model = get_peft_model(base, LoraConfig(r=32, lora_alpha=64, target_modules="all-linear"))
    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=2e-4, fused=True)
    sched = get_cosine_schedule_with_warmup(opt, 100, args.epochs * len(loader))
    Run(args.out, args.log_every).fit(model, opt, sched, loader, args.epochs)


if __name__ == "__main__":
    main()
