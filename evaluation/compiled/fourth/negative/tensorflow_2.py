"""tf.function made in a loop (once per head, at start-up), next() of a tf.data iterator inside, list arguments of fixed length."""
import tensorflow as tf

TRACES = []


class Heads(tf.Module):
    def __init__(self, names, dim):
        super().__init__()
        self.kernels = {n: tf.Variable(tf.random.stateless_normal([dim, 1], [i, 1])) for i, n in enumerate(names)}
        self.scorers = {}
        for name in names:
            self.scorers[name] = tf.function(
                self.make(name), input_signature=[[tf.TensorSpec([None, dim])] * 2]
            )

    def make(self, name):
        def score(views):
            TRACES.append(name)
            total = 0.0
            for view in views:
                total += tf.reduce_mean(view @ self.kernels[name])
            return total / len(views)

        return score


class Runner:
    def __init__(self, heads):
        self.heads = heads
        self.total = tf.Variable(0.0)

    @tf.function
    def consume(self, iterator, steps):
        TRACES.append("consume")
        for _ in tf.range(steps):
            x = next(iterator)
            self.total.assign_add(self.heads.scorers["a"]([x, -2.0 * x]))
        return self.total.read_value()


def main():
    heads = Heads(["a", "b"], 4)
    data = tf.data.Dataset.from_tensor_slices(tf.random.stateless_normal([40, 5, 4], [2, 2])).repeat()
    iterator = iter(data)
    runner = Runner(heads)
    for rows in (3, 7, 5, 9):
        heads.scorers["b"]([tf.ones([rows, 4]), tf.zeros([rows + 1, 4])])
    totals = [runner.consume(iterator, tf.constant(n)) for n in (4, 6, 8)]
    return tf.stack(totals), list(TRACES)


if __name__ == "__main__":
    print(main())
