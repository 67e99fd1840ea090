"""What runs lose with Hugging Face is told at the program's own lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, lines_of, marked, needs, report_on, told_by

needs("accelerate")
needs("transformers")

SETUP = """\
import random

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    pipeline,
)

words = ["[PAD]", "[UNK]", *(f"w{number}" for number in range(300))]
splitter = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
splitter.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=splitter, pad_token="[PAD]", unk_token="[UNK]", padding_side="left"
)
texts = [" ".join(random.choices(words[2:], k=12)) for _ in range(640)]
small = {"num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128}


def classifier():
    config = BertConfig(vocab_size=len(words), hidden_size=64, **small)
    return BertForSequenceClassification(config).eval()

"""

ROWS = (
    SETUP
    + """
classify = pipeline("text-classification", model=classifier(), tokenizer=tokenizer)
for text in texts * 2:
    classify(text)  # rows
for answer in classify(texts, batch_size=32):
    assert answer["label"]
short = [tokenizer(text) for text in texts * 10]  # alone
assert len(short) == len(tokenizer(texts * 10)["input_ids"])
"""
)

AGAIN = (
    SETUP
    + """
asked = classifier()
for padding in ("max_length", True):
    for first in range(0, len(texts), 16):
        rows = tokenizer(
            texts[first : first + 16], padding=padding, max_length=96, return_tensors="pt"
        )
        mask = rows["attention_mask"]
        with torch.no_grad():
            if padding is True:
                asked(input_ids=rows["input_ids"], attention_mask=mask)
            else:
                asked(input_ids=rows["input_ids"], attention_mask=mask)  # padded
asked.save_pretrained("saved")
for request in range(40):
    BertForSequenceClassification.from_pretrained("saved")  # loaded
"""
)

DECODED = (
    SETUP
    + """
config = GPT2Config(vocab_size=len(words), n_embd=64, n_layer=2, n_head=2, n_positions=512)
writer = GPT2LMHeadModel(config).eval()
prompts = tokenizer(texts[:8], return_tensors="pt", padding=True)
given = {"input_ids": prompts["input_ids"], "attention_mask": prompts["attention_mask"]}
writer.generate(**given, max_new_tokens=40, pad_token_id=0, eos_token_id=None)
with torch.no_grad():
    found = prompts["input_ids"]
    for _ in range(480):
        scores = writer(input_ids=found).logits[:, -1]  # again
        found = torch.cat([found, scores.argmax(-1, keepdim=True)], dim=1)
"""
)

TRAINING = (
    SETUP
    + """
rows = [dict(tokenizer(text), labels=number % 2) for number, text in enumerate(texts)]


def train(**options):
    settings = TrainingArguments(
        "out", per_device_train_batch_size=16, report_to=[], disable_tqdm=True, use_cpu=True,
        logging_steps=500, **options,
    )
    Trainer(
        model=classifier(), args=settings, train_dataset=rows, eval_dataset=rows[:320],
        data_collator=DataCollatorWithPadding(tokenizer),
    ).train()  # pauses


"""
)

PAUSES = (
    TRAINING
    + """
often = {"eval_strategy": "steps", "eval_steps": 2, "save_strategy": "steps", "save_steps": 1}
train(num_train_epochs=1, save_total_limit=1, **often)
"""
)

SELDOM = TRAINING + 'train(num_train_epochs=9, eval_strategy="epoch", save_strategy="epoch")\n'


def test_pipelines_and_tokenizers_that_get_one_text_at_a_time_are_told(
    tmp_path: Path,
) -> None:
    report = report_on(tmp_path, ROWS)
    assert report["run"]["problems"] == []
    found = told_by(report, "torch-forwards")
    assert lines_of(found, "predict-per-item") == marked(ROWS, "rows")
    alone = told_by(report, "texts-one-by-one")
    assert [item["line"] for item in alone] == marked(ROWS, "alone")


@pytest.mark.watched
def test_what_is_loaded_again_and_padded_far_is_told(tmp_path: Path) -> None:
    report = report_on(tmp_path, AGAIN)
    assert report["run"]["problems"] == []
    loads = told_by(report, "torch-model-per-turn")
    assert lines_of(loads, "model-per-turn") == marked(AGAIN, "loaded")
    padded = told_by(report, "padded-columns")
    assert [item["line"] for item in padded] == marked(AGAIN, "padded")


@pytest.mark.watched
def test_texts_that_a_model_reads_again_for_each_token_are_told(tmp_path: Path) -> None:
    report = report_on(tmp_path, DECODED)
    assert report["run"]["problems"] == []
    found = told_by(report, "torch-forwards")
    assert [item["line"] for item in found] == marked(DECODED, "again")


def test_a_trainer_that_evaluates_and_saves_every_few_steps_is_told(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PAUSES, "trainer-pauses")
    assert [item["line"] for item in found] == marked(PAUSES, "pauses") * 2
    assert {"(`eval_steps`)" in item["message"] for item in found} == {True, False}


def test_a_trainer_that_does_so_once_in_an_epoch_is_left_alone(tmp_path: Path) -> None:
    report = report_on(tmp_path, SELDOM)
    assert report["run"]["problems"] == []
    assert report["findings"] == []
