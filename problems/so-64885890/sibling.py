"""Topics of sentences, from the set of words in each."""

import torch
from sibling_words import BagOfWords


def main():
    torch.manual_seed(9)
    sentences = torch.randint(0, 300, (256, 12))
    topics = (sentences.float().mean(dim=1) > 150).long()
    words = BagOfWords(300)(sentences)
    model = torch.nn.Linear(300, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(5):
        loss = torch.nn.functional.cross_entropy(model(words.float()), topics)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


if __name__ == "__main__":
    print(main())
