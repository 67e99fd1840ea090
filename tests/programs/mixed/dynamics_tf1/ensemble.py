"""An ensemble of dynamics models for planning, in TensorFlow 1."""
import numpy as np
import tensorflow as tf


class Member(object):
    def __init__(self, index, sizes):
        with tf.variable_scope("member_%d" % index):
            self.x = tf.placeholder(tf.float32, [None, sizes[0]])
            self.y = tf.placeholder(tf.float32, [None, sizes[-1]])
            h = self.x
            for n, size in enumerate(sizes[1:]):
                h = tf.layers.dense(h, size, name="layer%d" % n)
            self.out = h
        self.weights = tf.trainable_variables("member_%d" % index)
        self.loss = tf.losses.mean_squared_error(self.y, self.out)
        self.train = tf.train.AdamOptimizer().minimize(self.loss)


class Ensemble(object):
    def __init__(self, count, sizes):
        self.members = [Member(i, sizes) for i in range(count)]
        self.average = Member(count, sizes)
        self.session = tf.Session()
        self.session.run(tf.global_variables_initializer())

    def publish(self):
        """Put the mean of all members into the model that plans."""
        values = self.session.run([member.weights for member in self.members])
        for place, variable in enumerate(self.average.weights):
            mean = np.mean([value[place] for value in values], axis=0)
            self.session.run(tf.assign(variable, mean))  # finding: graph-growth

    def fit(self, inputs, outputs, steps):
        for step in range(steps):
            for member in self.members:
                rows = np.random.randint(0, len(inputs), 256)
                self.session.run(member.train, {member.x: inputs[rows], member.y: outputs[rows]})
            if step % 10 == 0:
                self.publish()

    def rollout(self, state, actions):
        states = [state]
        for action in actions:
            pair = np.concatenate([states[-1], action])[None]
            states.append(self.session.run(self.average.out, {self.average.x: pair})[0])
        return np.stack(states)


def rewards(states, goal):
    distances = []
    for i in range(len(states)):
        distances.append(np.linalg.norm(states[i] - goal))  # finding: per-slice-op
    return -np.array(distances)


def clip_actions(actions, low, high):
    clipped = np.zeros_like(actions)
    for row in range(actions.shape[0]):
        for column in range(actions.shape[1]):
            clipped[row, column] = min(max(actions[row, column], low), high)  # finding: looped-update
    return clipped


if __name__ == "__main__":
    ensemble = Ensemble(5, [12, 64, 64, 8])
    inputs, outputs = np.random.randn(50000, 12), np.random.randn(50000, 8)
    ensemble.fit(inputs, outputs, 5000)
    actions = clip_actions(np.random.randn(40, 4), -1.0, 1.0)
    print(rewards(ensemble.rollout(inputs[0, :8], actions), np.zeros(8)).sum())
