def transform(dataset, function):
    dataset = dataset.shuffle(1000)
    return dataset.map(function)  # finding: serial-map
