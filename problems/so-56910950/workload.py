from tensorflow.python.data.ops import iterator_ops

made = []


def setup():
    original = iterator_ops.OwnedIterator.__init__

    def noted(self, *arguments, **named):
        made.append(type(self).__name__)
        original(self, *arguments, **named)

    iterator_ops.OwnedIterator.__init__ = noted


def count():
    return len(made)


def work():
    return main()
