"""Synthetic booking notes as the front desk types them, with the line the system wants."""
import random

from datasets import Dataset

DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
ROOMS = ["terrace", "cellar", "garden", "library", "loft", "bar"]
OPENERS = [
    "hello could you please book us",
    "hi i would like to reserve",
    "good morning we need",
    "is it possible to get",
    "as discussed on the phone please keep",
]
WISHES = [
    "a quiet corner would be lovely",
    "one guest uses a wheelchair",
    "we will bring a cake",
    "two of us are vegan",
    "please no music",
    "we may be ten minutes late",
]
SYLLABLES = "ba ko ri mel tan vo shi dar lu pen fo gra nis hel ot".split()


def surnames(rng, n):
    names = set()
    while len(names) < n:
        names.add("".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 4))))
    return sorted(names)


def make_note(rng, names):
    room, day = rng.choice(ROOMS), rng.choice(DAYS)
    people, hour = rng.randint(2, 12), rng.randint(5, 10)
    name = rng.choice(names)
    parts = [rng.choice(OPENERS), f"the {room} for {people} on {day} at {hour} pm", f"name is {name}"]
    parts += rng.sample(WISHES, rng.choice([0, 0, 1, 2]))
    note = " , ".join(parts)
    target = f"{day[:3]} {hour + 12} h ; {room} ; {people} pax ; {name}"
    return note, target


def build_rows(settings):
    rng = random.Random(settings.seed)
    names = surnames(rng, 5500)
    rows = []
    while len(rows) < settings.n_rows:
        row = make_note(rng, names)
        if row not in rows:
            rows.append(row)
    return rows, names


def as_datasets(rows, settings):
    a = settings.n_train
    b = a + settings.n_eval
    c = b + settings.n_test
    return tuple(
        Dataset.from_dict({"note": [n for n, _ in part], "target": [t for _, t in part]})
        for part in (rows[:a], rows[a:b], rows[b:c])
    )
