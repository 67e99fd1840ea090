"""Fine-tune a long-context encoder on contract clauses."""
import argparse
from dataclasses import dataclass, field

import numpy as np
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)


@dataclass
class ModelConfig:
    name: str = "answerdotai/ModernBERT-large"
    labels: int = 41
    max_length: int = 4096
    load_kwargs: dict = field(default_factory=lambda: {"attn_implementation": "sdpa"})


def tokenize_splits(data, tokenizer, cfg):
    def encode(batch):
        enc = tokenizer(batch["text"], truncation=True, max_length=cfg.max_length)
        enc["labels"] = batch["label"]
        return enc

    drop = data["train"].column_names
    return data.map(encode, batched=True, num_proc=4, remove_columns=drop)


def compute_metrics(pred):
    guess = np.argmax(pred.predictions, axis=-1)
    right = guess == pred.label_ids
    return {"accuracy": float(right.mean())}


def build_trainer(cfg, data, out_dir, epochs):
    tokenizer = AutoTokenizer.from_pretrained(cfg.name)
    model = AutoModelForSequenceClassification.from_pretrained(
        cfg.name, num_labels=cfg.labels, **cfg.load_kwargs)
    splits = tokenize_splits(data, tokenizer, cfg)
    args = TrainingArguments(
        output_dir=out_dir,
        per_device_train_batch_size=8,
        per_device_eval_batch_size=16,
        num_train_epochs=epochs,
        learning_rate=3e-5,
        warmup_ratio=0.06,
        bf16=True,
        tf32=True,
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        dataloader_num_workers=4,
        dataloader_persistent_workers=True,
        optim="adamw_torch_fused",
        logging_steps=50,
        report_to="none",
    )
    return Trainer(
        model=model,
        args=args,
        train_dataset=splits["train"],
        eval_dataset=splits["validation"],
        data_collator=DataCollatorWithPadding(tokenizer, pad_to_multiple_of=64),
        processing_class=tokenizer,
        compute_metrics=compute_metrics,
    )


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--train", default="clauses/train.parquet")
    p.add_argument("--validation", default="clauses/validation.parquet")
    p.add_argument("--out", default="runs/contracts")
    p.add_argument("--epochs", type=int, default=4)
    args = p.parse_args()
    data = load_dataset("parquet", data_files={"train": args.train,
                                               "validation": args.validation})
    trainer = build_trainer(ModelConfig(), data, args.out, args.epochs)
    trainer.train()
    print(trainer.evaluate())
    trainer.save_model(args.out)


if __name__ == "__main__":
    main()
