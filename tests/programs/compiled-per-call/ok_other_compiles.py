"""Compile means something else here."""
import re

import numba
import numpy as np
from tensorflow import keras


def count(patterns, text):
    return {p: len(re.compile(p).findall(text)) for p in patterns}


def formulas(lines, names):
    for line in lines:
        code = compile(line, "<formula>", "eval")
        yield eval(code, {"np": np}, names)


@numba.njit
def total(values):
    result = 0.0
    for value in values:
        result += value
    return result


def fit_stages(model, data, rates):
    for rate in rates:
        model.compile(keras.optimizers.SGD(rate), "mse")
        model.fit(data, epochs=2)
