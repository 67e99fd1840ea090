def setup():
    record_files()


def work():
    return count_examples(record_files())
