"""Learns to leave a grid by deep Q-learning, as Keras's example on it does."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers

SIDE = 6
ACTIONS = 4
BATCH = 32
DISCOUNT = 0.99
MOST_STEPS = 40


class Grid:
    """A walk from a corner to the opposite one, shown as a picture."""

    def reset(self):
        self.place = [0, 0]
        return self.picture()

    def picture(self):
        picture = np.zeros((SIDE, SIDE, 1), dtype="float32")
        picture[tuple(self.place)] = 1.0
        return picture

    def step(self, action):
        axis, move = divmod(action, 2)
        self.place[axis] = min(max(self.place[axis] + 2 * move - 1, 0), SIDE - 1)
        arrived = self.place == [SIDE - 1, SIDE - 1]
        return self.picture(), float(arrived), arrived


def network():
    return keras.Sequential(
        [
            keras.Input(shape=(SIDE, SIDE, 1)),
            layers.Conv2D(8, 3, activation="relu"),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
            layers.Dense(ACTIONS, activation="linear"),
        ]
    )


def main():
    keras.utils.set_random_seed(0)
    grid, model, target = Grid(), network(), network()
    optimizer = keras.optimizers.Adam(learning_rate=0.00025, clipnorm=1.0)
    loss_function = keras.losses.Huber()
    states, actions, rewards, followers, ends = [], [], [], [], []
    epsilon, frames = 1.0, 0
    for episode in range(40):
        state = grid.reset()
        total = 0.0
        for _ in range(MOST_STEPS):
            frames += 1
            if frames < 100 or epsilon > np.random.rand():
                action = np.random.choice(ACTIONS)
            else:
                rows = tf.expand_dims(tf.convert_to_tensor(state), 0)
                action = tf.argmax(model(rows, training=False)[0]).numpy()
            epsilon = max(0.1, epsilon - 0.001)
            follower, reward, is_over = grid.step(action)
            total += reward
            states.append(state)
            actions.append(action)
            rewards.append(reward)
            followers.append(follower)
            ends.append(float(is_over))
            state = follower
            if frames % 4 == 0 and len(ends) > BATCH:
                chosen = np.random.choice(range(len(ends)), size=BATCH)
                sample = np.array([states[index] for index in chosen])
                following = np.array([followers[index] for index in chosen])
                gained = np.array([rewards[index] for index in chosen])
                taken = [actions[index] for index in chosen]
                over = tf.convert_to_tensor([ends[index] for index in chosen])
                future = target.predict(following, verbose=0)
                wanted = gained + DISCOUNT * tf.reduce_max(future, axis=1)
                wanted = wanted * (1 - over) - over
                masks = tf.one_hot(taken, ACTIONS)
                with tf.GradientTape() as tape:
                    values = tf.reduce_sum(tf.multiply(model(sample), masks), axis=1)
                    loss = loss_function(wanted, values)
                gradients = tape.gradient(loss, model.trainable_variables)
                optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            if frames % 200 == 0:
                target.set_weights(model.get_weights())
            if is_over:
                break
        if episode % 10 == 0:
            print(f"episode {episode}: reward {total}")


if __name__ == "__main__":
    main()
