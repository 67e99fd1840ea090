# requires: tensorflow==1.14.0
"""Logs Python numbers; protocol buffers are not nodes."""
import tensorflow as tf


def log(writer, tag, value, step):
    summary = tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=value)])
    writer.add_summary(summary, step)


def main(agent, env, episodes):
    tf.gfile.MakeDirs("logs")
    writer = tf.summary.FileWriter("logs")
    with tf.Session() as sess:
        agent.restore(sess)
        for episode in range(episodes):
            state, done, total = env.reset(), False, 0.0
            while not done:
                value = sess.run(agent.value, {agent.state: [state]})
                state, reward, done, _ = env.step(int(value.argmax()))
                total += reward
            log(writer, "return", total, episode)
            tf.logging.info("episode %d: %.1f", episode, total)
            if tf.gfile.Exists("stop"):
                break
