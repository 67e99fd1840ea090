"""Scores whole nights with the best model: agreement, kappa and minutes per stage."""
import keras
import numpy as np

from signals import clean


def scorer(path):
    return keras.models.load_model(path, compile=False)


def stage_window(model, window, cfg):
    x = clean(window, cfg)[None, :, None]
    return int(np.argmax(model.predict(x, verbose=0)[0]))


def stage_night(path, eeg, cfg):
    model = scorer(path)
    return np.array([stage_window(model, window, cfg) for window in eeg])


def kappa(a, b, n):
    table = np.zeros((n, n))
    np.add.at(table, (a, b), 1)
    table /= table.sum()
    chance = float(table.sum(0) @ table.sum(1))
    return (float(np.trace(table)) - chance) / max(1 - chance, 1e-9)


def night_report(path, recordings, cfg):
    rows = []
    for k, (eeg, stages) in enumerate(recordings):
        guess = stage_night(path, eeg, cfg)
        minutes = np.bincount(guess, minlength=len(cfg.stages)) * cfg.seconds / 60
        rows.append(
            {
                "night": k,
                "agreement": float(np.mean(guess == stages)),
                "kappa": kappa(guess, stages, len(cfg.stages)),
                "minutes": dict(zip(cfg.stages, minutes.tolist())),
            }
        )
    return rows
