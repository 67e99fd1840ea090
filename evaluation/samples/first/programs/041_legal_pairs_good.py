# /// script
# requires-python = ">=3.10"
# dependencies = [
#     "datasets==2.21.0",
#     "sentence-transformers==3.0.1",
#     "torch==2.4.1",
#     "accelerate",
# ]
# ///
"""Mine query/passage pairs from a legal corpus and tune a bi-encoder."""
import argparse
import random

from datasets import Dataset, load_dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
    losses,
)


class PairMiner:
    def __init__(self, corpus, seed=0, min_words=40):
        self.corpus = corpus
        self.rng = random.Random(seed)
        self.min_words = min_words

    def passage(self, text):
        paragraphs = [p for p in text.split("\n\n") if len(p.split()) >= self.min_words]
        return self.rng.choice(paragraphs) if paragraphs else None

    def pairs(self):
        out = {"anchor": [], "positive": []}
        for row in self.corpus:
            headnote = row["headnote"]
            passage = self.passage(row["body"])
            if headnote and passage:
                out["anchor"].append(headnote.strip())
                out["positive"].append(passage.strip())
        return Dataset.from_dict(out)


def train(pairs, name, epochs, batch_size, out):
    model = SentenceTransformer(name)
    model.max_seq_length = 384
    args = SentenceTransformerTrainingArguments(
        output_dir=out,
        num_train_epochs=epochs,
        per_device_train_batch_size=batch_size,
        learning_rate=2e-5,
        warmup_ratio=0.1,
        bf16=True,
        batch_sampler="no_duplicates",
        dataloader_num_workers=4,
        logging_steps=100,
        save_strategy="epoch",
    )
    loss = losses.CachedMultipleNegativesRankingLoss(model, mini_batch_size=64)
    SentenceTransformerTrainer(model=model, args=args, train_dataset=pairs, loss=loss).train()
    model.save_pretrained(out)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--corpus", default="decisions/*.parquet")
    ap.add_argument("--model", default="intfloat/multilingual-e5-base")
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--batch-size", type=int, default=512)
    ap.add_argument("--out", default="legal-e5")
    args = ap.parse_args()

    corpus = load_dataset("parquet", data_files=args.corpus, split="train")
    corpus = corpus.select_columns(["headnote", "body"])
    pairs = PairMiner(corpus).pairs()
    print(f"{len(corpus):,} decisions -> {len(pairs):,} pairs")
    train(pairs, args.model, args.epochs, args.batch_size, args.out)


if __name__ == "__main__":
    main()
