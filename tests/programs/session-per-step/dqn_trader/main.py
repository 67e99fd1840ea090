import os
import sys

from agent import Agent
from market import Market


def play(agent, market, batch_size, learn=True):
    state, total, done = market.reset(), 0.0, False
    while not done:
        action = agent.act(state)
        nxt, reward, done = market.step(action)
        agent.remember(state, action, reward, nxt, done)
        state = nxt
        total += reward
        if learn and len(agent.memory) > batch_size and market.t % 10 == 0:
            agent.replay(batch_size)
    return total


def main(path, episodes):
    market = Market(path)
    if not os.path.isdir("models"):
        os.makedirs("models")
    agent = Agent(market.window + 1, 3, "models/dqn.ckpt")
    for episode in range(episodes):
        profit = play(agent, market, 32)
        print("Episode %d/%d: %.2f%%" % (episode + 1, episodes, 100 * profit))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: main.py prices.csv episodes")
    main(sys.argv[1], int(sys.argv[2]))
