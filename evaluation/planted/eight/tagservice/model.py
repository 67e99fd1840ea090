import io
import re

import torch
from torch import nn

DIM = 64
ITEMS = 4000


class Encoder(nn.Module):
    def __init__(self, vocab=32770, dim=DIM):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        layer = nn.TransformerEncoderLayer(dim, 4, 128, batch_first=True, dropout=0.0)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.proj = nn.Linear(dim, dim)

    def forward(self, ids, lengths):
        pad = torch.arange(ids.shape[1])[None] >= lengths[:, None]
        h = self.body(self.embed(ids), src_key_padding_mask=pad)
        h = h.masked_fill(pad[..., None], 0.0).sum(1) / lengths[:, None]
        return nn.functional.normalize(self.proj(h), dim=-1)


def build_words(count=32768):
    syllables = ["ka", "lo", "mi", "ren", "su", "ti", "vor", "xe"]
    return ["".join(syllables[(i >> s) & 7] for s in (0, 3, 6, 9, 12)) for i in range(count)]


class Tokenizer:
    def __init__(self, words):
        self.words = words

    def ids(self, text):
        table = {w: i + 2 for i, w in enumerate(self.words)}
        return [table.get(w, 1) for w in re.findall(r"[a-z]+", text.lower())][:48]


class Heads:
    def __init__(self, tenants):
        self.blobs = {}
        for tenant in tenants:
            net = nn.Sequential(nn.Linear(DIM, 8192), nn.ReLU(), nn.Linear(8192, 12))
            buf = io.BytesIO()
            torch.save(net, buf)
            self.blobs[tenant] = buf.getvalue()

    def get(self, tenant):
        net = torch.load(io.BytesIO(self.blobs[tenant]), weights_only=False)
        return net.eval()
