import os
import tempfile
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from transformers import TrainingArguments, set_seed

from callbacks import ParamWatch, SampleCallback
from corpus import Collator, clean, make_dataset, make_texts, make_tokenizer
from model import UnigramPrior, make_model
from trainer import AnchoredTrainer


def token_accuracy(pred):
    guess = pred.predictions.argmax(-1)[:, :-1]
    labels = pred.label_ids[:, 1:]
    keep = labels != -100
    return {"accuracy": float((guess[keep] == labels[keep]).mean())}


def arguments(outdir):
    return TrainingArguments(
        output_dir=outdir,
        num_train_epochs=2,
        per_device_train_batch_size=16,
        per_device_eval_batch_size=1,
        learning_rate=3e-3,
        eval_strategy="steps",
        eval_steps=20,
        save_strategy="steps",
        save_steps=1,
        save_total_limit=2,
        gradient_checkpointing=True,
        logging_steps=10,
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
        dataloader_pin_memory=False,
    )


def main():
    set_seed(0)
    tokenizer = make_tokenizer()
    train_texts, val_texts = make_texts(640, 1), make_texts(72, 2)
    train = make_dataset(train_texts, tokenizer, 128)
    val = make_dataset(val_texts, tokenizer, 128)
    anchor = make_model(tokenizer).eval()
    model = make_model(tokenizer)
    prompts = [" ".join(clean(t).split()[:4]) for t in val_texts[:12]]
    references = [clean(t).split() for t in train_texts]
    with tempfile.TemporaryDirectory() as outdir:
        trainer = AnchoredTrainer(
            model=model,
            args=arguments(outdir),
            train_dataset=train,
            eval_dataset=val,
            data_collator=Collator(tokenizer),
            compute_metrics=token_accuracy,
            callbacks=[
                ParamWatch(os.path.join(outdir, "params.json")),
                SampleCallback(tokenizer, prompts, references),
            ],
            anchor=anchor,
            prior=UnigramPrior(train, len(tokenizer)),
        )
        trainer.train()
        result = trainer.evaluate()
    print(f"eval_loss {result['eval_loss']:.4f} accuracy {result['eval_accuracy']:.4f}")
    print(f"cpu {time.process_time():.1f}s")


if __name__ == "__main__":
    main()
