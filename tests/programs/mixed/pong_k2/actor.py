import numpy as np
from keras.layers import Dense, Input
from keras.models import Model
from keras.optimizers import Adam


class ActorCritic:
    def __init__(self, n_inputs, n_actions, lr=1e-3):
        inputs = Input((n_inputs,))
        body = Dense(256, activation="relu")(inputs)
        policy = Dense(n_actions, activation="softmax")(body)
        value = Dense(1)(body)
        self.model = Model(inputs, [policy, value])
        self.model.compile(Adam(lr), ["categorical_crossentropy", "mse"])
        self.n_actions = n_actions

    def act(self, state):
        policy, _ = self.model.predict(state.reshape(1, -1))  # finding: predict-per-item
        return np.random.choice(self.n_actions, p=policy[0])

    def act_many(self, states):
        policies, _ = self.model.predict(np.asarray(states))
        return [np.random.choice(self.n_actions, p=row) for row in policies]  # finding: looped-draw

    def targets(self, states, actions, returns):
        chosen = np.zeros((len(actions), self.n_actions))
        for row, action in enumerate(actions):
            chosen[row, action] = 1  # finding: looped-update
        values = []
        for state in states:
            values.append(self.model.predict(state[None])[1][0, 0])  # finding: predict-per-item
        advantage = returns - np.array(values)
        return chosen * advantage[:, None], returns[:, None]

    def learn(self, states, actions, returns):
        policy, value = self.targets(states, actions, returns)
        return self.model.train_on_batch(np.array(states), [policy, value])
