from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn.functional as F


class PassageIndex:
    def __init__(self, encoder, passages, top_k):
        self.encoder = encoder
        self.passages = passages
        self.top_k = top_k
        self.vectors = self._build()

    def _build(self):
        vectors = []
        with ThreadPoolExecutor(max_workers=4) as pool:
            for passage in self.passages:
                job = pool.submit(self.encoder.encode, [passage])
                vectors.append(job.result().detach()[0])
        return torch.stack(vectors)

    def search(self, vector):
        centre = self.vectors.mean(0)
        corpus = F.normalize(self.vectors - centre, dim=1)
        scores = corpus @ F.normalize(vector.detach() - centre, dim=0)
        ranked = sorted(range(len(scores)), key=lambda i: scores[i].item(), reverse=True)
        return [(i, scores[i].item()) for i in ranked[: self.top_k]]
