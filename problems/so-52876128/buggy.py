"""Q-learning with a target network that follows the trained one, in graph mode."""

import numpy as np
import tensorflow as tf

tf.compat.v1.disable_eager_execution()

STEPS = 100
COPY_EVERY = 1
STATES = 6
ACTIONS = 3


def q_network(states, scope):
    with tf.compat.v1.variable_scope(scope):
        hidden = tf.compat.v1.get_variable(
            "hidden", initializer=tf.random.stateless_normal((STATES, 24), seed=(1, 2)) * 0.3
        )
        bias = tf.compat.v1.get_variable("bias", initializer=tf.zeros((24,)))
        output = tf.compat.v1.get_variable(
            "output", initializer=tf.random.stateless_normal((24, ACTIONS), seed=(3, 4)) * 0.3
        )
    return tf.matmul(tf.nn.relu(tf.matmul(states, hidden) + bias), output)


def variables_of(scope):
    return tf.compat.v1.get_collection(tf.compat.v1.GraphKeys.TRAINABLE_VARIABLES, scope=scope)


def copy_parameters(session, source, target):
    for ours, theirs in zip(variables_of(source), variables_of(target)):
        session.run(tf.compat.v1.assign(theirs, ours))  # finding


def experience(rng):
    states = rng.normal(size=(16, STATES))
    return states, rng.integers(0, ACTIONS, size=16), np.tanh(states.sum(axis=1))


def main():
    states = tf.compat.v1.placeholder(tf.float32, [None, STATES])
    actions = tf.compat.v1.placeholder(tf.int32, [None])
    rewards = tf.compat.v1.placeholder(tf.float32, [None])
    online, target = q_network(states, "online"), q_network(states, "target")
    taken = tf.reduce_sum(online * tf.one_hot(actions, ACTIONS), axis=1)
    wanted = rewards + 0.9 * tf.reduce_max(tf.stop_gradient(target), axis=1)
    loss = tf.reduce_mean(tf.square(taken - wanted))
    step = tf.compat.v1.train.GradientDescentOptimizer(0.05).minimize(loss)
    rng = np.random.default_rng(52)
    losses = []
    with tf.compat.v1.Session() as session:
        session.run(tf.compat.v1.global_variables_initializer())
        for number in range(STEPS):
            seen = dict(zip((states, actions, rewards), experience(rng)))
            losses.append(session.run([loss, step], seen)[0])
            if number % COPY_EVERY == 0:
                copy_parameters(session, "online", "target")
    return losses


if __name__ == "__main__":
    print(main()[-3:])
