"""Picks on the validation traces and the trigger threshold that suits them best."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

import nets


def probabilities(params, events, cfg):
    rows = []
    for e in events:
        n = len(e["trace"])
        x = np.zeros((1, cfg.longest, 3), np.float32)
        mask = np.zeros((1, cfg.longest), np.float32)
        x[0, :n] = e["trace"]
        mask[0, :n] = 1.0
        logits = nets.apply(params, x, mask, np.array([e["station"]]), cfg.refine_steps)
        rows.append(jax.nn.softmax(logits[0])[:, :2] * mask[0][:, None])
    return jnp.stack(rows)


def hits_at(probs, picks, threshold):
    peak = probs.argmax(axis=1)
    close = jnp.abs(peak - picks) <= 4
    found = probs.max(axis=1) >= threshold
    right = (close & found).sum()
    return 2.0 * right / (found.sum() + picks.size)


def best_threshold(probs, events):
    picks = jnp.array([e["picks"] for e in events])
    grid = np.linspace(0.1, 0.8, 15)
    scores = []
    for threshold in grid:
        score = jax.jit(partial(hits_at, threshold=float(threshold)))
        scores.append(float(score(probs, picks)))
    k = int(np.argmax(scores))
    return float(grid[k]), float(scores[k])


def validate(params, events, cfg):
    return best_threshold(probabilities(params, events, cfg), events)
