"""Negative samples for a recommender: for each user, one item from the part they can see."""

import torch


class NegativeSampler:
    def __init__(self, visible, seed):
        self.visible = visible
        self.source = torch.Generator().manual_seed(seed)

    def _one(self, high):
        return torch.randint(high, (1,), generator=self.source)

    def sample(self):
        negatives = torch.empty(len(self.visible), dtype=torch.long)
        for user in range(len(self.visible)):
            negatives[user] = self._one(self.visible[user].item())  # finding
        return negatives


class Recommender(torch.nn.Module):
    def __init__(self, users, items):
        super().__init__()
        self.users = torch.nn.Embedding(users, 8)
        self.items = torch.nn.Embedding(items, 8)

    def forward(self, users, items):
        return (self.users(users) * self.items(items)).sum(dim=1)


def main():
    torch.manual_seed(1)
    visible = torch.randint(5, 200, (150,))
    sampler = NegativeSampler(visible, seed=9)
    model = Recommender(150, 200)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    everyone = torch.arange(150)
    for _ in range(3):
        wanted = model(everyone, everyone % 5)
        unwanted = model(everyone, sampler.sample())
        loss = torch.nn.functional.softplus(unwanted - wanted).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


if __name__ == "__main__":
    print(main())
