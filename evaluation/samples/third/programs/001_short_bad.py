"""Fine-tune a clinical encoder that predicts the triage level from a nurse's intake note.

Notes are a sentence or two ("34F, sudden chest pain radiating to left arm, diaphoretic").
Expects CSV files with the columns ``note`` and ``level`` (1-5, as in the Manchester scale).
"""
from dataclasses import dataclass

import numpy as np
import torch
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
    default_data_collator,
    set_seed,
)

LEVELS = 5


@dataclass
class TriageConfig:
    train_csv: str
    valid_csv: str
    base_model: str = "emilyalsentzer/Bio_ClinicalBERT"
    output_dir: str = "runs/triage"
    max_tokens: int = 512
    padding: str = "max_length"
    epochs: float = 3.0
    batch_size: int = 32
    learning_rate: float = 3e-5
    seed: int = 7


class NoteEncoder:
    """Callable for ``Dataset.map``: notes to ids, levels 1-5 to classes 0-4."""

    def __init__(self, tokenizer, cfg: TriageConfig):
        self.tokenizer = tokenizer
        self.options = {
            "truncation": True,
            "padding": cfg.padding,
            "max_length": cfg.max_tokens,
        }

    def __call__(self, rows):
        encoded = self.tokenizer(rows["note"], **self.options)
        encoded["labels"] = [level - 1 for level in rows["level"]]
        return encoded


def triage_metrics(prediction):
    guess = prediction.predictions.argmax(axis=-1)
    truth = prediction.label_ids
    under_triaged = (guess > truth).mean()
    return {
        "accuracy": float((guess == truth).mean()),
        "under_triage_rate": float(under_triaged),
        "mean_level_error": float(np.abs(guess - truth).mean()),
    }


def main():
    (cfg,) = HfArgumentParser(TriageConfig).parse_args_into_dataclasses()
    set_seed(cfg.seed)

    tokenizer = AutoTokenizer.from_pretrained(cfg.base_model)
    model = AutoModelForSequenceClassification.from_pretrained(cfg.base_model, num_labels=LEVELS)

    notes = load_dataset("csv", data_files={"train": cfg.train_csv, "valid": cfg.valid_csv})
    notes = notes.map(
        NoteEncoder(tokenizer, cfg),
        batched=True,
        remove_columns=notes["train"].column_names,
        desc="tokenising notes",
    )

    on_gpu = torch.cuda.is_available()
    args = TrainingArguments(
        output_dir=cfg.output_dir,
        num_train_epochs=cfg.epochs,
        learning_rate=cfg.learning_rate,
        per_device_train_batch_size=cfg.batch_size,
        per_device_eval_batch_size=cfg.batch_size * 2,
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model="accuracy",
        dataloader_num_workers=4,
        bf16=on_gpu and torch.cuda.is_bf16_supported(),
        logging_steps=100,
        report_to="none",
        seed=cfg.seed,
    )
    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=notes["train"],
        eval_dataset=notes["valid"],
        processing_class=tokenizer,
        data_collator=default_data_collator,
        compute_metrics=triage_metrics,
    )
    trainer.train()
    print(trainer.evaluate())
    trainer.save_model(cfg.output_dir)


if __name__ == "__main__":
    main()
