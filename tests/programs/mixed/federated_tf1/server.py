import numpy as np
import tensorflow as tf


class Client(object):
    def __init__(self, data, build):
        self.data = data
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x, self.y, self.loss, self.train = build()
            self.variables = tf.trainable_variables()
            self.init = tf.global_variables_initializer()
        self.session = tf.Session(graph=self.graph)
        self.session.run(self.init)

    def receive(self, weights):
        with self.graph.as_default():
            for variable, value in zip(self.variables, weights):
                self.session.run(variable.assign(value))  # finding: graph-growth

    def step(self, size):
        for start in range(0, len(self.data[0]), size):
            feed = {self.x: self.data[0][start : start + size], self.y: self.data[1][start : start + size]}
            self.session.run(self.train, feed)
        return [self.session.run(v) for v in self.variables]

    def score(self):
        with tf.Session(graph=self.graph) as session:  # finding: session-per-step
            session.run(self.init)
            return session.run(self.loss, {self.x: self.data[0], self.y: self.data[1]})


class Server(object):
    def __init__(self, clients, build):
        self.clients = clients
        with tf.Graph().as_default():
            build()
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                self.weights = session.run(tf.trainable_variables())

    def run(self, rounds, size):
        for number in range(rounds):
            updates = []
            for client in self.clients:
                client.receive(self.weights)
                updates.append(client.step(size))
            self.weights = [np.mean(part, 0) for part in zip(*updates)]
            print(number, np.mean([client.score() for client in self.clients]))


def build_mlp():
    x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.int64, [None])
    hidden = tf.layers.dense(x, 128, tf.nn.relu)
    loss = tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(hidden, 10))
    return x, y, loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def main():
    data = np.load("parts.npz")
    clients = [Client((data["x%d" % i], data["y%d" % i]), build_mlp) for i in range(20)]
    Server(clients, build_mlp).run(200, 32)


if __name__ == "__main__":
    main()
