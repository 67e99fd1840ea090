"""Datasets of the speaker model."""
from records import parse, read_shards, spectrogram


def compose(dataset, *fns):
    for fn in fns:
        dataset = dataset.map(fn)  # finding: serial-map
    return dataset


def train_data(pattern, batch_size):
    records = read_shards(pattern).shuffle(8192).repeat()
    return compose(records, parse, spectrogram).batch(batch_size).prefetch(2)


def dev_data(pattern, batch_size):
    return compose(read_shards(pattern, seed=1), parse, spectrogram).batch(batch_size)
