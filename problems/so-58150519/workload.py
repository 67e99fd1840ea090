data = []


def setup():
    data.extend(make_sweeps())


def work():
    return train(*data)
