import logging
import math

import datasets
import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments

from collate import Collate, causal, sinusoid

log = logging.getLogger(__name__)


class Weighted(Trainer):
    def __init__(self, *args, weights=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.weights = weights

    def compute_loss(self, model, inputs, return_outputs=False):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = F.cross_entropy(outputs.logits, labels, weight=self.weights.to(labels.device))
        return (loss, outputs) if return_outputs else loss


def prepare(name, tokenizer):
    raw = datasets.load_dataset(name)
    raw = raw.map(lambda row: {"text": row["text"].lower()})
    return raw.map(lambda rows: {"size": [len(t) for t in rows["text"]]}, batched=True)


def compute_metrics(prediction):
    guess = np.argmax(prediction.predictions, axis=1)
    return {"accuracy": float((guess == prediction.label_ids).mean())}


def pretrain(decoder, loader, optimizer, scheduler, config, epochs=3):
    decoder.train()
    for epoch in range(epochs):
        for step, batch in enumerate(loader):
            mask = causal(config.length)
            hidden = decoder.embed(batch["input_ids"])
            hidden = hidden + sinusoid(config.length, config.width)
            logits = decoder(hidden, mask)
            loss = F.cross_entropy(logits.flatten(0, 1), batch["labels"].flatten())
            loss.backward()
            torch.nn.utils.clip_grad_norm_(decoder.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            if step % 100 == 0:
                log.info("epoch %d step %d loss %.3f ppl %.2f", epoch, step, loss.item(), math.exp(loss.item()))


def generate(decoder, ids, limit, config):
    for _ in range(limit):
        hidden = decoder.embed(ids) + sinusoid(ids.shape[1], config.width)
        logits = decoder(hidden, causal(ids.shape[1]))
        ids = torch.cat([ids, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
    return ids


def confidence(model, loader):
    scores = []
    model.eval()
    with torch.no_grad():
        for batch in loader:
            logits = model(**batch).logits
            scores.append(torch.softmax(logits, dim=-1).max(-1).values)
    return torch.cat(scores)


def pooled(hidden: torch.Tensor):
    batch, length, width = hidden.shape
    rows = [F.normalize(hidden[i], dim=-1).mean(0) for i in range(batch)]  # finding: per-slice-op
    return torch.stack(rows)


def classify(texts):
    answers = []
    for text in texts:
        tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
        model = AutoModelForSequenceClassification.from_pretrained("out")  # finding: model-per-turn
        inputs = tokenizer(text, return_tensors="pt")
        answers.append(model(**inputs).logits.argmax().item())  # finding: predict-per-item
    return answers


def folds(parts):
    for part in parts:
        model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
        Trainer(model, TrainingArguments(f"fold-{part}"), train_dataset=part).train()


def main():
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
    data = prepare("imdb", tokenizer)
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased", num_labels=2)
    trainer = Weighted(
        model,
        TrainingArguments("out", per_device_train_batch_size=16, num_train_epochs=3),
        data_collator=Collate(tokenizer),
        train_dataset=data["train"],
        eval_dataset=data["test"],
        compute_metrics=compute_metrics,
        weights=torch.tensor([1.0, 2.0]),
    )
    trainer.train()
    print(confidence(model, DataLoader(data["test"], 32, collate_fn=Collate(tokenizer))).mean())


if __name__ == "__main__":
    main()
