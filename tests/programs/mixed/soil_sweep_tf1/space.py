import itertools
import random


def grid(**choices):
    names = sorted(choices)
    for values in itertools.product(*(choices[name] for name in names)):
        yield dict(zip(names, values))


def draws(count, **ranges):
    for _ in range(count):
        yield {name: random.uniform(*ends) for name, ends in ranges.items()}
