from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    passages: int = 2400
    requests: int = 480
    clients: int = 16
    distinct_queries: int = 120
    top_k: int = 5
    width: int = 128
    layers: int = 3
    heads: int = 4
    vocab: int = 6000
    max_words: int = 48
    profile_latency: float = 0.02
    synonyms: int = 2500
    batch_limit: int = 16
    batch_wait: float = 0.004
    cache_size: int = 1024
    seed: int = 41
