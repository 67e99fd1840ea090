"""Synthetic support tickets and the tokenizer trained for them."""
import random
import re

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

SYL = ["ka", "lo", "mi", "ter", "sun", "vel", "dra", "pix", "no", "ru", "qua", "be"]
LABELS = 6
STOP = [a + b for a in SYL for b in SYL]


def make_vocab(n=4000, seed=0):
    rng = random.Random(seed)
    words = set()
    while len(words) < n:
        words.add("".join(rng.choices(SYL, k=rng.randint(2, 4))))
    return sorted(words)


def make_tickets(words, n, seed):
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        label = rng.randrange(LABELS)
        pool = words[label * 500: label * 500 + 1000]
        body = rng.choices(pool, k=rng.randint(15, 40))
        body.insert(3, f"<b>{rng.choice(pool)}</b>")
        body.insert(8, f"http://t.example/{rng.randrange(10**6)}")
        rows.append({"text": " ".join(body), "label": label})
    return rows


def build_tokenizer(words):
    vocab = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2}
    for w in words:
        vocab.setdefault(w, len(vocab))
    tok = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="[PAD]",
                                   unk_token="[UNK]", cls_token="[CLS]")


def clean(text):
    text = re.sub(r"<[^>]+>", "", text)
    text = re.sub(r"https?://\S+", "URL", text)
    for word in STOP:
        text = re.sub(rf"\b{word}\b", "", text)
    return re.sub(r"\s+", " ", text).strip()


class TicketDataset:
    def __init__(self, rows, tokenizer, max_length=128):
        self.rows, self.tok, self.max_length = rows, tokenizer, max_length

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        enc = self.tok(clean(row["text"]), truncation=True,
                       max_length=self.max_length, padding="max_length")
        return {"input_ids": enc["input_ids"],
                "attention_mask": enc["attention_mask"], "labels": row["label"]}
