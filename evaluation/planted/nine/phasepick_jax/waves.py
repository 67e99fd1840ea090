"""Synthetic three-component seismograms of different lengths with a P and an S arrival."""
import jax.numpy as jnp
import numpy as np


def wavelet(rng, n, freq):
    t = np.arange(n)
    return np.sin(freq * t + rng.uniform(0, 6.28)) * np.exp(-t / rng.uniform(12, 30))


def event(rng, cfg):
    packets = rng.integers(cfg.shortest // cfg.packet, cfg.longest // cfg.packet + 1)
    n = int(packets) * cfg.packet - 8 * int(rng.random() < 0.7)
    p = int(rng.integers(12, n // 3))
    s = p + int(rng.integers(16, n // 2))
    trace = 0.25 * rng.standard_normal((n, 3))
    for start, gain, freq in ((p, (1.0, 0.3, 0.3), 1.6), (s, (0.3, 1.3, 1.1), 0.8)):
        trace[start:] += wavelet(rng, n - start, freq)[:, None] * np.array(gain)
    return {
        "trace": trace.astype(np.float32),
        "picks": (p, s),
        "station": int(rng.integers(cfg.stations)),
    }


def catalogue(cfg):
    rng = np.random.default_rng(cfg.seed)
    events = [event(rng, cfg) for _ in range(cfg.n_train + cfg.n_val)]
    return events[: cfg.n_train], events[cfg.n_train :]


def soft_labels(length, picks, width):
    """Bell curves at the arrivals; the third class is whatever is left."""
    target = jnp.zeros((length, 3))
    reach = int(1.5 * width)
    for k, pick in enumerate(picks):
        for t in range(max(0, pick - reach), min(length, pick + reach + 1)):
            target = target.at[t, k].set(float(np.exp(-0.5 * ((t - pick) / width) ** 2)))
    target = target.at[:, 2].set(jnp.clip(1.0 - target[:, 0] - target[:, 1], 0.0, 1.0))
    return np.asarray(target / target.sum(axis=1, keepdims=True))


def collate(events, cfg):
    longest = max(len(e["trace"]) for e in events)
    n = len(events)
    x = np.zeros((n, longest, 3), np.float32)
    y = np.zeros((n, longest, 3), np.float32)
    mask = np.zeros((n, longest), np.float32)
    for i, e in enumerate(events):
        k = len(e["trace"])
        x[i, :k] = e["trace"]
        y[i, :k] = soft_labels(k, e["picks"], cfg.pick_width)
        mask[i, :k] = 1.0
    station = np.array([e["station"] for e in events], np.int32)
    return x, y, mask, station


def batches(events, cfg, epoch):
    order = np.random.default_rng((cfg.seed, epoch)).permutation(len(events))
    for i in range(0, len(order) - cfg.batch + 1, cfg.batch):
        yield collate([events[k] for k in order[i : i + cfg.batch]], cfg)
