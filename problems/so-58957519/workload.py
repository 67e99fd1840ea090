"""Stands in for the workers of `fit`, which Keras 3 has not: batches come from forked processes."""

import multiprocessing

import keras


_fit = keras.Model.fit


def fit(model, generator, epochs, shuffle, workers, use_multiprocessing, verbose):
    numbers = range(len(generator))
    if workers and use_multiprocessing:
        with multiprocessing.get_context("fork").Pool(workers, _hold, (generator,)) as enqueuer:
            batches = enqueuer.map(_held_batch, numbers)
    else:
        batches = [generator[number] for number in numbers]

    class Fetched(keras.utils.PyDataset):
        def __len__(self):
            return len(batches)

        def __getitem__(self, index):
            return batches[index]

    return _fit(model, Fetched(), epochs=epochs, shuffle=shuffle, verbose=verbose)


def _hold(generator):
    global held
    held = generator


def _held_batch(number):
    return held[number]


keras.Model.fit = fit
