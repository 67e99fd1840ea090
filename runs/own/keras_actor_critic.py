"""Balances a pole with an actor and a critic, as Keras's example on actor-critic methods does."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers

DISCOUNT = 0.99
LONGEST = 200


class Pole:
    """A pole on a cart, pushed to the left or to the right."""

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)

    def reset(self):
        self.state = self.generator.uniform(-0.05, 0.05, 4)
        return self.state

    def step(self, action):
        _, speed, angle, turning = self.state
        force = 10.0 if action else -10.0
        push = (force + 0.05 * turning**2 * np.sin(angle)) / 1.1
        bend = (9.8 * np.sin(angle) - np.cos(angle) * push) / (
            0.5 * (4 / 3 - 0.1 * np.cos(angle) ** 2 / 1.1)
        )
        gain = push - 0.05 * bend * np.cos(angle) / 1.1
        self.state = self.state + 0.02 * np.array([speed, gain, turning, bend])
        return self.state, 1.0, abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.21


def network():
    inputs = keras.Input(shape=(4,))
    common = layers.Dense(128, activation="relu")(inputs)
    action = layers.Dense(2, activation="softmax")(common)
    return keras.Model(inputs, [action, layers.Dense(1)(common)])


def returns_of(rewards):
    returns, total = [], 0.0
    for reward in rewards[::-1]:
        total = reward + DISCOUNT * total
        returns.insert(0, total)
    returns = np.array(returns)
    return ((returns - returns.mean()) / (returns.std() + 1e-8)).tolist()


def main():
    keras.utils.set_random_seed(0)
    model = network()
    optimizer = keras.optimizers.Adam(learning_rate=0.01)
    huber = keras.losses.Huber()
    pole = Pole(0)
    running = 0.0
    for episode in range(60):
        state = pole.reset()
        chosen, expected, rewards = [], [], []
        with tf.GradientTape() as tape:
            for _ in range(LONGEST):
                rows = tf.expand_dims(tf.convert_to_tensor(state, tf.float32), 0)
                actions, value = model(rows)
                expected.append(value[0, 0])
                action = np.random.choice(2, p=np.squeeze(actions))
                chosen.append(tf.math.log(actions[0, action]))
                state, reward, fell = pole.step(action)
                rewards.append(reward)
                if fell:
                    break
            actor_losses, critic_losses = [], []
            for log_probability, value, result in zip(
                chosen, expected, returns_of(rewards), strict=True
            ):
                actor_losses.append(-log_probability * (result - value))
                critic_losses.append(huber(tf.expand_dims(value, 0), tf.expand_dims(result, 0)))
            loss = sum(actor_losses) + sum(critic_losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        running = 0.05 * sum(rewards) + 0.95 * running
        if episode % 10 == 0:
            print(f"episode {episode}: running reward {running:.1f}")


if __name__ == "__main__":
    main()
