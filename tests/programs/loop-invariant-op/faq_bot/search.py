import json


class Faq:
    def __init__(self, path, embedder):
        with open(path, encoding="utf8") as handle:
            entries = json.load(handle)
        self.questions = [entry["question"] for entry in entries]
        self.answers = [entry["answer"] for entry in entries]
        self.embedder = embedder

    def best(self, query, k=3):
        bank = self.embedder(self.questions)  # note: loop-invariant-op
        scores = (self.embedder([query]) @ bank.T)[0]
        top = scores.topk(min(k, len(self.answers)))
        return [(self.answers[i], float(s)) for s, i in zip(top.values, top.indices)]
