"""Fine-tune a cross-encoder for duplicate question detection."""
import functools
from dataclasses import dataclass

import evaluate
import numpy as np
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
)


@dataclass
class ScriptArgs:
    base: str = "microsoft/deberta-v3-small"
    data: str = "acme/duplicate-questions"
    max_length: int = 160


def encode_pairs(rows, tok, max_length):
    enc = tok(rows["question1"], rows["question2"], truncation=True, max_length=max_length)
    enc["labels"] = rows["is_duplicate"]
    return enc


def prepare(script):
    tok = AutoTokenizer.from_pretrained(script.base)
    raw = load_dataset(script.data)
    fn = functools.partial(encode_pairs, tok=tok, max_length=script.max_length)
    data = raw.map(fn, remove_columns=raw["train"].column_names, desc="encode")
    return tok, data


def metrics_fn():
    f1 = evaluate.load("f1")

    def compute(pred):
        return f1.compute(predictions=np.argmax(pred.predictions, axis=-1), references=pred.label_ids)

    return compute


def main():
    parser = HfArgumentParser((ScriptArgs, TrainingArguments))
    script, targs = parser.parse_args_into_dataclasses()
    targs.per_device_train_batch_size = 64
    targs.per_device_eval_batch_size = 256
    targs.bf16 = True
    targs.dataloader_num_workers = 4
    targs.dataloader_persistent_workers = True

    tok, data = prepare(script)
    model = AutoModelForSequenceClassification.from_pretrained(script.base, num_labels=2)
    trainer = Trainer(
        model=model,
        args=targs,
        train_dataset=data["train"],
        eval_dataset=data["validation"],
        data_collator=DataCollatorWithPadding(tok, pad_to_multiple_of=8),
        processing_class=tok,
        compute_metrics=metrics_fn(),
    )
    trainer.train()
    print(trainer.evaluate())
    trainer.save_model()


if __name__ == "__main__":
    main()
