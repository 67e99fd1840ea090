"""Documents are embedded one at a time on a GPU, where there is one, then the nearest are found."""

import torch
import torch.nn.functional as F
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"


class Encoder(nn.Module):
    def __init__(self, words=8000, width=256, depth=4):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        layer = nn.TransformerEncoderLayer(width, 8, 4 * width, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, depth)

    def forward(self, words):
        return F.normalize(self.layers(self.embedding(words)).mean(1), dim=-1)


def embed(model, documents):
    model.eval()
    vectors = []
    for document in documents:
        vector = model(document.unsqueeze(0).to(device))
        vectors.append(vector.detach().cpu())
    return torch.cat(vectors)


def main():
    torch.manual_seed(0)
    documents = torch.randint(0, 8000, (1500, 64))
    queries = documents[::50].clone()
    queries[:, ::8] = 0
    model = Encoder().to(device)
    stored, asked = embed(model, documents), embed(model, queries)
    nearest = (asked @ stored.T).argmax(1)
    print(f"found {(nearest == torch.arange(0, 1500, 50)).sum().item()} of {len(queries)}")


if __name__ == "__main__":
    main()
