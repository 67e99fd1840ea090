"""Made-up help articles, questions about them and the synonym file of the desk."""
import json
import random

PARTS = "lo gin pri nt er net wo rk dri ve scr een mo use bat ter key bo ard pass wo dis play ro ut er fi le".split()


def words(rng, n):
    found = set()
    while len(found) < n:
        found.add("".join(rng.choice(PARTS) for _ in range(rng.randint(2, 4))))
    return sorted(found)


def make_world(settings, folder):
    rng = random.Random(settings.seed)
    lexicon = words(rng, 4000)
    passages = [
        " ".join(rng.choices(lexicon, k=rng.randint(14, settings.max_words - 4))) for _ in range(settings.passages)
    ]
    queries = []
    for _ in range(settings.distinct_queries):
        source = rng.choice(passages).split()
        start = rng.randrange(0, max(1, len(source) - 8))
        queries.append(" ".join(source[start : start + 8] + rng.choices(lexicon, k=2)))
    synonyms = {w + "s": w for w in rng.sample(lexicon, settings.synonyms)}
    (folder / "synonyms.json").write_text(json.dumps(synonyms, indent=1))
    popular = [1.0 / (1 + k) ** 0.7 for k in range(len(queries))]
    load = [
        {"request_id": f"r{n:05d}", "user": f"u{rng.randrange(60)}", "text": text}
        for n, text in enumerate(rng.choices(queries, popular, k=settings.requests))
    ]
    return passages, load
