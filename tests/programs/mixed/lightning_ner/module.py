"""Lightning module and data for named entities."""
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from transformers import AutoModel, AutoTokenizer


class Tokens(Dataset):
    def __init__(self, rows, tokenizer):
        self.rows, self.tokenizer = rows, tokenizer

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        text, tags = self.rows[i]
        encoded = self.tokenizer(text, truncation=True, padding="max_length", max_length=128)
        return torch.tensor(encoded["input_ids"]), torch.tensor(tags)


class Tagger(L.LightningModule):
    def __init__(self, name, tags):
        super().__init__()
        self.encoder = AutoModel.from_pretrained(name)
        self.head = nn.Linear(self.encoder.config.hidden_size, tags)
        self.compiled = torch.compile(self.head)

    def forward(self, ids):
        return self.head(self.encoder(ids).last_hidden_state)

    def training_step(self, batch, batch_idx):
        ids, tags = batch
        logits = self(ids)
        weights = torch.ones(logits.size(-1), device=self.device)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tags.flatten(), weight=weights)
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        ids, tags = batch
        predicted = self(ids).argmax(-1)
        rows = []
        for row, gold in zip(predicted, tags):
            rows.append((row == gold).float().mean())
        self.log("accuracy", torch.stack(rows).mean())

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=3e-5)


def main(rows):
    tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")
    loader = DataLoader(Tokens(rows, tokenizer), batch_size=16, num_workers=4, shuffle=True)
    L.Trainer(max_epochs=3).fit(Tagger("bert-base-cased", 9), loader)
