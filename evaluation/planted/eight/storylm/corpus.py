import random
import re

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

NAMES = ["Mira", "Tomas", "Ines", "Olav", "Petra", "Kofi", "Lena", "Ravi"]
VERBS = ["found", "carried", "hid", "painted", "lost", "traded", "cleaned", "broke"]
THINGS = ["lantern", "basket", "violin", "map", "kettle", "compass", "scarf", "wheel"]
PLACES = ["harbor", "orchard", "attic", "market", "bridge", "library", "mill", "garden"]


def story(rng):
    who = rng.choice(NAMES)
    parts = []
    for _ in range(rng.randint(2, 6)):
        parts.append(f"{who} {rng.choice(VERBS)} the {rng.choice(THINGS)} near the {rng.choice(PLACES)} .")
    return " ".join(parts)


def make_texts(count, seed):
    rng = random.Random(seed)
    return [story(rng) for _ in range(count)]


def clean(text):
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"\s([.,!?])", r" \1", text).lower()


def make_tokenizer():
    words = sorted({w.lower() for w in NAMES + VERBS + THINGS + PLACES} | {"the", "near", "."})
    vocab = {w: i for i, w in enumerate(["<pad>", "<unk>", "<bos>", "<eos>"] + words)}
    vocab.update({f"<extra_{i}>": len(vocab) + i for i in range(1500)})
    core = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="<pad>", unk_token="<unk>", bos_token="<bos>", eos_token="<eos>"
    )


def make_dataset(texts, tokenizer, max_length):
    def encode(row):
        return tokenizer(
            clean(row["text"]) + " <eos>", padding="max_length", truncation=True, max_length=max_length
        )

    return Dataset.from_dict({"text": texts}).map(encode, remove_columns=["text"])


class Collator:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, rows):
        batch = self.tokenizer.pad(rows, return_tensors="pt")
        batch.pop("token_type_ids", None)
        batch["labels"] = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)
        return batch
