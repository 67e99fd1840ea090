# requires: tensorflow==1.15.*
"""A Telegram bot that answers with a seq2seq model trained on our support mails."""
import json
import logging
import os

import numpy as np
import tensorflow.compat.v1 as tf
from telegram.ext import CommandHandler, Filters, MessageHandler, Updater

logging.basicConfig(level=logging.INFO)
log = logging.getLogger(__name__)
tf.disable_eager_execution()

CKPT_DIR = os.environ.get("CKPT_DIR", "checkpoints")
MAX_LEN = 24
PAD, GO, EOS, UNK = 0, 1, 2, 3

with open(os.path.join(CKPT_DIR, "vocab.json")) as f:
    VOCAB = json.load(f)
WORDS = {i: w for w, i in VOCAB.items()}


def build_model(vocab_size, hidden=256):
    source = tf.placeholder(tf.int32, [1, MAX_LEN], name="source")
    target = tf.placeholder(tf.int32, [1, None], name="target")
    table = tf.get_variable("embedding", [vocab_size, hidden])
    with tf.variable_scope("encoder"):
        cell = tf.nn.rnn_cell.GRUCell(hidden)
        _, state = tf.nn.dynamic_rnn(cell, tf.nn.embedding_lookup(table, source), dtype=tf.float32)
    with tf.variable_scope("decoder"):
        cell = tf.nn.rnn_cell.GRUCell(hidden)
        out, _ = tf.nn.dynamic_rnn(
            cell, tf.nn.embedding_lookup(table, target), initial_state=state
        )
        logits = tf.layers.dense(out, vocab_size)
    return source, target, tf.argmax(logits[:, -1], axis=-1)


def encode(text):
    ids = [VOCAB.get(w, UNK) for w in text.lower().split()][:MAX_LEN]
    return np.array([ids + [PAD] * (MAX_LEN - len(ids))], dtype=np.int32)


def decode(sess, source, target, next_word, text):
    encoded = encode(text)
    words = [GO]
    for _ in range(MAX_LEN):
        word = sess.run(next_word, feed_dict={source: encoded, target: [words]})[0]
        if word == EOS:
            break
        words.append(int(word))
    return " ".join(WORDS.get(w, "?") for w in words[1:])


def answer(text):
    tf.reset_default_graph()
    source, target, next_word = build_model(len(VOCAB))
    saver = tf.train.Saver()
    with tf.Session() as sess:  # finding: session-per-step
        saver.restore(sess, tf.train.latest_checkpoint(CKPT_DIR))
        return decode(sess, source, target, next_word, text)


def start(update, context):
    update.message.reply_text("Hi! Ask me about your order.")


def on_message(update, context):
    question = update.message.text
    log.info("question from %s: %s", update.effective_user.id, question)
    reply = answer(question)
    update.message.reply_text(reply or "Sorry, I did not understand that.")


def on_error(update, context):
    log.warning("update %s caused %s", update, context.error)


def main():
    updater = Updater(os.environ["TELEGRAM_TOKEN"], use_context=True)
    dispatcher = updater.dispatcher
    dispatcher.add_handler(CommandHandler("start", start))
    dispatcher.add_handler(MessageHandler(Filters.text, on_message))
    dispatcher.add_error_handler(on_error)
    updater.start_polling()
    updater.idle()


if __name__ == "__main__":
    main()
