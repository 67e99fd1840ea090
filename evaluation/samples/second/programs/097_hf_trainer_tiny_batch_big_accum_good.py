"""Fine-tune DistilBERT for contract clause classification."""
import argparse

import numpy as np
from datasets import load_dataset
from sklearn.metrics import f1_score
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    EarlyStoppingCallback,
    Trainer,
    TrainingArguments,
)

RUN = {
    "base": "distilbert/distilbert-base-uncased",
    "max_length": 256,
    "train": {
        "num_train_epochs": 6,
        "learning_rate": 4e-5,
        "warmup_steps": 200,
        "weight_decay": 0.01,
        "per_device_train_batch_size": 64,
        "gradient_accumulation_steps": 1,
        "per_device_eval_batch_size": 128,
        "bf16": True,
        "eval_strategy": "epoch",
        "save_strategy": "epoch",
        "load_best_model_at_end": True,
        "metric_for_best_model": "f1",
        "dataloader_num_workers": 4,
        "dataloader_persistent_workers": True,
        "logging_steps": 50,
        "report_to": "none",
    },
}


def tokenise(tok, max_length):
    def fn(batch):
        return tok(batch["clause"], truncation=True, max_length=max_length)

    return fn


def macro_f1(pred):
    return {"f1": f1_score(pred.label_ids, pred.predictions.argmax(-1), average="macro")}


def weights_table(labels):
    values, counts = np.unique(labels, return_counts=True)
    return ", ".join(f"{v}:{c}" for v, c in zip(values, counts))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", default="data/clauses")
    ap.add_argument("--out", default="runs/clauses")
    args = ap.parse_args()

    raw = load_dataset("parquet", data_dir=args.data)
    names = raw["train"].features["label"].names
    print(weights_table(raw["train"].with_format("numpy")["label"][:]))
    tok = AutoTokenizer.from_pretrained(RUN["base"])
    data = raw.map(tokenise(tok, RUN["max_length"]), batched=True, remove_columns=["clause"])
    model = AutoModelForSequenceClassification.from_pretrained(RUN["base"], num_labels=len(names))
    trainer = Trainer(
        model=model,
        args=TrainingArguments(output_dir=args.out, **RUN["train"]),
        train_dataset=data["train"],
        eval_dataset=data["validation"],
        processing_class=tok,
        data_collator=DataCollatorWithPadding(tok, pad_to_multiple_of=8),
        compute_metrics=macro_f1,
        callbacks=[EarlyStoppingCallback(2)],
    )
    trainer.train()
    trainer.save_model(args.out)


if __name__ == "__main__":
    main()
