import numpy as np

CENTERS = np.linspace(0.3, 3.0, 32)
ELEMENTS = 5


class Molecule:
    def __init__(self, rng):
        n = int(rng.integers(8, 22))
        self.kinds = rng.integers(0, ELEMENTS, n)
        self.coords = rng.uniform(0, n ** (1 / 3), (n, 3))
        dist = np.linalg.norm(self.coords[:, None] - self.coords[None], axis=-1)
        near = (dist < 1.6) & (dist > 0)
        self.senders, self.receivers = np.nonzero(near)
        charge = np.cos(self.kinds + 0.5)
        pair = charge[self.senders] * charge[self.receivers] / (0.5 + dist[self.senders, self.receivers])
        self.target = float(pair.sum() / n)


def make_molecules(count, seed):
    rng = np.random.default_rng(seed)
    return [Molecule(rng) for _ in range(count)]


def radial_features(mol):
    rows = []
    for s, r in zip(mol.senders, mol.receivers):
        d = np.linalg.norm(mol.coords[s] - mol.coords[r])
        rows.append([np.exp(-((d - c) ** 2) / 0.1) for c in CENTERS])
    return np.array(rows, np.float32).reshape(-1, len(CENTERS))


def collate(mols, size):
    nodes, senders, receivers, owner, offset = [], [], [], [], 0
    for i, mol in enumerate(mols):
        nodes.append(np.eye(ELEMENTS, dtype=np.float32)[mol.kinds])
        senders.append(mol.senders + offset)
        receivers.append(mol.receivers + offset)
        owner.append(np.full(len(mol.kinds), i))
        offset += len(mol.kinds)
    batch = {
        "nodes": np.concatenate(nodes),
        "edges": np.concatenate([radial_features(m) for m in mols]),
        "senders": np.concatenate(senders).astype(np.int32),
        "receivers": np.concatenate(receivers).astype(np.int32),
        "owner": np.concatenate(owner).astype(np.int32),
        "target": np.array([m.target for m in mols], np.float32),
    }
    return batch


def batches(mols, size, rng):
    order = rng.permutation(len(mols))
    for i in range(0, len(order) - size + 1, size):
        yield collate([mols[j] for j in order[i : i + size]], size)
