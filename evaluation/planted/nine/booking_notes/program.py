"""Fine-tune a tiny seq2seq model that turns front-desk notes into booking lines."""
import json
import tempfile
import time
import warnings
from pathlib import Path

import datasets
from transformers import DataCollatorForSeq2Seq, Seq2SeqTrainer, set_seed

from callbacks import PreviewCallback, WeightReport
from corpus import as_datasets, build_rows
from modeling import build_model, write_lines
from scoring import compute_metrics, line_accuracy
from settings import Settings
from tokens import encode_all, get_tokenizer, train_tokenizer

warnings.filterwarnings("ignore")
datasets.disable_progress_bars()


def run(settings, out_dir):
    set_seed(settings.seed)
    rows, names = build_rows(settings)
    train, evaluation, test = as_datasets(rows, settings)
    folder = train_tokenizer(rows, names, str(out_dir / "tokenizer"))
    tokenizer = get_tokenizer(folder)
    train_tokens = encode_all(train, folder, settings)
    eval_tokens = encode_all(evaluation, folder, settings)

    model = build_model(tokenizer, settings)
    trainer = Seq2SeqTrainer(
        model=model,
        args=settings.training_arguments(out_dir / "run"),
        train_dataset=train_tokens,
        eval_dataset=eval_tokens,
        data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
        processing_class=tokenizer,
        compute_metrics=compute_metrics,
        callbacks=[
            PreviewCallback(tokenizer, evaluation, settings.preview_rows),
            WeightReport(out_dir / "weights.json"),
        ],
    )
    trainer.train()
    report = trainer.evaluate()
    lines = write_lines(model, tokenizer, test["note"])
    report["test_field_accuracy"] = line_accuracy(lines, test["target"])
    (out_dir / "report.json").write_text(json.dumps(report))
    return report


def main():
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="booking-") as tmp:
        report = run(Settings(), Path(tmp))
    print({k: round(v, 4) for k, v in report.items() if "runtime" not in k and "per_second" not in k})
    print(f"done in {time.perf_counter() - started:.1f} s")


if __name__ == "__main__":
    main()
