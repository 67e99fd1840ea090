"""Sentiment fine-tuning on short product reviews."""
import argparse
from dataclasses import dataclass

import numpy as np
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    EarlyStoppingCallback,
    Trainer,
    TrainingArguments,
)


@dataclass
class RunConfig:
    model: str = "distilbert/distilbert-base-uncased"
    data: str = "amazon_polarity"
    max_length: int = 128
    micro_batch: int = 64
    accumulation: int = 1
    epochs: int = 2
    lr: float = 3e-5
    out: str = "runs/sentiment"


def load_splits(cfg, tokenizer):
    data = load_dataset(cfg.data)
    held = data["train"].train_test_split(test_size=10_000, seed=3)

    def encode(batch):
        enc = tokenizer(batch["content"], truncation=True, max_length=cfg.max_length)
        enc["labels"] = batch["label"]
        return enc

    drop = data["train"].column_names
    return (held["train"].map(encode, batched=True, num_proc=8, remove_columns=drop),
            held["test"].map(encode, batched=True, num_proc=8, remove_columns=drop))


def accuracy(pred):
    return {"accuracy": float((np.argmax(pred.predictions, -1) == pred.label_ids).mean())}


def arguments(cfg):
    return TrainingArguments(
        output_dir=cfg.out,
        per_device_train_batch_size=cfg.micro_batch,
        gradient_accumulation_steps=cfg.accumulation,
        per_device_eval_batch_size=256,
        num_train_epochs=cfg.epochs,
        learning_rate=cfg.lr,
        warmup_ratio=0.05,
        lr_scheduler_type="cosine",
        bf16=True,
        tf32=True,
        optim="adamw_torch_fused",
        eval_strategy="steps",
        eval_steps=4000,
        save_strategy="steps",
        save_steps=4000,
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="accuracy",
        logging_steps=200,
        dataloader_num_workers=6,
        dataloader_persistent_workers=True,
        report_to="none",
    )


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", default=RunConfig.data)
    p.add_argument("--out", default=RunConfig.out)
    args = p.parse_args()
    cfg = RunConfig(data=args.data, out=args.out)

    tokenizer = AutoTokenizer.from_pretrained(cfg.model)
    train, held = load_splits(cfg, tokenizer)
    model = AutoModelForSequenceClassification.from_pretrained(cfg.model, num_labels=2)
    trainer = Trainer(
        model=model, args=arguments(cfg), train_dataset=train, eval_dataset=held,
        data_collator=DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8),
        processing_class=tokenizer, compute_metrics=accuracy,
        callbacks=[EarlyStoppingCallback(3)])
    trainer.train()
    trainer.save_model(cfg.out)


if __name__ == "__main__":
    main()
