import dataclasses

import numpy as np
import torch


@dataclasses.dataclass
class Citation:
    x: torch.Tensor
    y: torch.Tensor
    adj: torch.Tensor
    train: torch.Tensor
    test: torch.Tensor

    @property
    def nodes(self):
        return self.adj.shape[0]

    @classmethod
    def read(cls, path, device):
        z = np.load(path)
        n = len(z["y"])
        adj = torch.zeros(n, n)
        adj[z["src"], z["dst"]] = 1.0
        adj = torch.maximum(adj, adj.t())
        perm = torch.randperm(n, generator=torch.Generator().manual_seed(0))
        put = lambda t: t.to(device)
        return cls(put(torch.from_numpy(z["x"]).float()), put(torch.from_numpy(z["y"]).long()),
                   put(adj), put(perm[: n // 10]), put(perm[n // 2:]))
