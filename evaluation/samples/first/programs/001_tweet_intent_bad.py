"""Fine-tune an encoder to classify customer tweets by intent."""
import argparse
from dataclasses import dataclass

import numpy as np
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    default_data_collator,
    Trainer,
    TrainingArguments,
    set_seed,
)


@dataclass
class DataConfig:
    train_file: str
    valid_file: str
    text_column: str = "tweet"
    label_column: str = "intent_id"


class IntentEncoder:
    def __init__(self, model_name: str, cfg: DataConfig):
        self.cfg = cfg
        self.tokenizer = AutoTokenizer.from_pretrained(model_name)
        self.options = dict(truncation=True, max_length=512, padding="max_length")

    def __call__(self, batch):
        texts = [t.replace("\n", " ").strip() for t in batch[self.cfg.text_column]]
        features = self.tokenizer(texts, **self.options)
        features["labels"] = batch[self.cfg.label_column]
        return features

    def load(self):
        raw = load_dataset(
            "csv",
            data_files={"train": self.cfg.train_file, "validation": self.cfg.valid_file},
        )
        return raw.map(self, batched=True, num_proc=8, remove_columns=raw["train"].column_names)


def accuracy(pred):
    return {"accuracy": float((np.argmax(pred.predictions, axis=-1) == pred.label_ids).mean())}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--model", default="microsoft/deberta-v3-base")
    ap.add_argument("--train", required=True)
    ap.add_argument("--valid", required=True)
    ap.add_argument("--num-labels", type=int, default=77)
    ap.add_argument("--out", default="runs/intent")
    args = ap.parse_args()
    set_seed(13)

    encoder = IntentEncoder(args.model, DataConfig(args.train, args.valid))
    data = encoder.load()
    model = AutoModelForSequenceClassification.from_pretrained(args.model, num_labels=args.num_labels)

    training = TrainingArguments(
        output_dir=args.out,
        per_device_train_batch_size=64,
        per_device_eval_batch_size=128,
        learning_rate=3e-5,
        num_train_epochs=4,
        bf16=True,
        eval_strategy="epoch",
        save_strategy="epoch",
        logging_steps=100,
        dataloader_num_workers=4,
    )
    trainer = Trainer(
        model=model,
        args=training,
        train_dataset=data["train"],
        eval_dataset=data["validation"],
        data_collator=default_data_collator,
        processing_class=encoder.tokenizer,
        compute_metrics=accuracy,
    )
    trainer.train()
    trainer.save_model(args.out)


if __name__ == "__main__":
    main()
