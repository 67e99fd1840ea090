"""Grades of essays: a regression head, and agreement of the judges."""

import numpy as np
import pandas as pd
import torch
from data import Collator, Essays, class_weights, sampled_rows
from torch import nn
from transformers import AutoModel, AutoTokenizer, Trainer, TrainerCallback, TrainingArguments

NAME = "microsoft/deberta-v3-small"


class Grader(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = AutoModel.from_pretrained(NAME)
        self.head = nn.Linear(self.encoder.config.hidden_size, 1)

    def last(self, states, mask):
        """The state of the last token that isn't padding."""
        lengths = mask.sum(1) - 1
        rows = [states[i, lengths[i]] for i in range(states.size(0))]  # finding: looped-lookup
        return torch.stack(rows)

    def forward(self, input_ids, attention_mask, labels=None):
        states = self.encoder(input_ids, attention_mask=attention_mask).last_hidden_state
        grades = self.head(self.last(states, attention_mask)).squeeze(-1)
        loss = None if labels is None else nn.functional.mse_loss(grades, labels)
        return {"loss": loss, "logits": grades}


def kappa(first, second, number):
    matrix = np.zeros((number, number))
    for a, b in zip(first, second):
        matrix[a, b] += 1  # finding: looped-update
    weights = np.zeros((number, number))
    for i in range(number):
        for j in range(number):
            weights[i, j] = (i - j) ** 2 / (number - 1) ** 2
    expected = np.outer(matrix.sum(1), matrix.sum(0)) / matrix.sum()
    return 1 - (weights * matrix).sum() / (weights * expected).sum()


def metrics(prediction):
    grades = np.clip(np.rint(prediction.predictions), 0, 6).astype(int)
    return {"kappa": kappa(grades, prediction.label_ids.astype(int), 7)}


class Examples(TrainerCallback):
    """Shows the grades of three essays after each epoch."""

    def __init__(self, texts, tokenizer):
        self.texts, self.tokenizer = texts, tokenizer

    def on_epoch_end(self, args, state, control, model=None, **kwargs):
        for text in self.texts[:3]:
            inputs = self.tokenizer(text, return_tensors="pt", truncation=True).to(model.encoder.device)
            with torch.no_grad():
                print(round(model(inputs["input_ids"], inputs["attention_mask"])["logits"].item(), 2), text[:60])


def grade_all(model, tokenizer, texts):
    grades = []
    for text in texts:
        encoded = tokenizer(text, return_tensors="pt", truncation=True)
        with torch.no_grad():
            out = model(encoded["input_ids"], encoded["attention_mask"])  # finding: predict-per-item
        grades.append(out["logits"].item())
    return grades


def main():
    frame = pd.read_csv("essays.csv")
    grades = frame["grade"].to_numpy()
    frame = frame.iloc[sampled_rows(grades, class_weights(grades, 7), 20_000)]
    tokenizer = AutoTokenizer.from_pretrained(NAME)
    train, test = frame[:18_000], frame[18_000:]
    model = Grader()
    arguments = TrainingArguments("out", num_train_epochs=3, per_device_train_batch_size=16, eval_strategy="epoch")
    trainer = Trainer(
        model,
        arguments,
        data_collator=Collator(tokenizer.pad_token_id),
        train_dataset=Essays(train, tokenizer),
        eval_dataset=Essays(test, tokenizer),
        compute_metrics=metrics,
        callbacks=[Examples(test["text"].tolist(), tokenizer)],
    )
    trainer.train()
    unseen = pd.read_csv("unseen.csv")
    unseen["grade"] = grade_all(model.cpu().eval(), tokenizer, unseen["text"])
    unseen.to_csv("graded.csv")


if __name__ == "__main__":
    main()
