"""Reviews are classified with Transformers, after its tutorial on fine-tuning; all is made up."""

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from torch.utils.data import DataLoader
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    PreTrainedTokenizerFast,
    get_scheduler,
    set_seed,
)

WORDS = ["good", "bad", "film", "plot", "long", "short", "fun", "dull", "the", "a"]


def make_tokenizer():
    vocabulary = {word: number for number, word in enumerate(["[PAD]", "[UNK]", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", model_max_length=128
    )


def reviews(count):
    generator = torch.Generator().manual_seed(4)
    for _ in range(count):
        picks = torch.randint(0, len(WORDS), (int(torch.randint(4, 16, (1,), generator=generator)),),
                              generator=generator)  # fmt: skip
        words = [WORDS[pick] for pick in picks]
        yield " ".join(words), int(words.count("good") > words.count("bad"))


def main():
    set_seed(0)
    tokenizer = make_tokenizer()

    def collate(batch):
        texts, labels = zip(*batch)
        encoded = tokenizer(list(texts), padding="max_length", truncation=True, return_tensors="pt")
        encoded["labels"] = torch.tensor(labels)
        return encoded

    train_dataloader = DataLoader(list(reviews(128)), shuffle=True, batch_size=8, collate_fn=collate)
    model = BertForSequenceClassification(
        BertConfig(
            vocab_size=12, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
            intermediate_size=64, num_labels=2, hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
    )  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    num_epochs = 2
    steps = num_epochs * len(train_dataloader)
    scheduler = get_scheduler("linear", optimizer, num_warmup_steps=0, num_training_steps=steps)
    model.train()
    for epoch in range(num_epochs):
        total = 0.0
        for batch in train_dataloader:
            batch.pop("token_type_ids", None)
            loss = model(**batch).loss
            loss.backward()
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            total += loss.item()
        print(f"epoch {epoch}: loss {total / len(train_dataloader):.4f}")


if __name__ == "__main__":
    main()
