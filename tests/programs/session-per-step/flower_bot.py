# requires: keras==2.2.4
"""A Telegram bot that names flowers. @flora_bot, runs on my Raspberry Pi."""
import io
import json
import logging
import os

import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.applications.mobilenet_v2 import preprocess_input
from keras.models import load_model
from PIL import Image
from telegram.ext import CommandHandler, Filters, MessageHandler, Updater

logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "names.json")) as f:
    NAMES = json.load(f)


def small_session():
    config = tf.ConfigProto(intra_op_parallelism_threads=2, inter_op_parallelism_threads=1)
    return tf.Session(config=config)


class Classifier:
    def __init__(self, path):
        self.path = path

    def top(self, image, n=3):
        # without this it raised "Tensor is not an element of this graph" from the second photo on
        K.clear_session()
        K.set_session(small_session())  # finding: session-per-step
        model = load_model(self.path, compile=False)
        x = np.asarray(image.resize((224, 224)), dtype="float32")[None]
        scores = model.predict(preprocess_input(x))[0]
        best = scores.argsort()[::-1][:n]
        return [(NAMES[i], float(scores[i])) for i in best]


class Bot:
    def __init__(self, token, classifier):
        self.classifier = classifier
        self.updater = Updater(token)
        add = self.updater.dispatcher.add_handler
        add(CommandHandler("start", self.start))
        add(CommandHandler("stats", self.stats))
        add(MessageHandler(Filters.photo, self.photo))
        self.seen = 0

    def start(self, bot, update):
        update.message.reply_text("Send me a picture of a flower!")

    def stats(self, bot, update):
        update.message.reply_text("%d flowers so far" % self.seen)

    def photo(self, bot, update):
        data = io.BytesIO()
        bot.get_file(update.message.photo[-1].file_id).download(out=data)
        image = Image.open(data).convert("RGB")
        names = self.classifier.top(image)
        self.seen += 1
        lines = ["%s (%.0f %%)" % (name, 100 * p) for name, p in names]
        update.message.reply_text("\n".join(lines))

    def run(self):
        self.updater.start_polling()
        self.updater.idle()


if __name__ == "__main__":
    Bot(os.environ["TOKEN"], Classifier(os.path.join(HERE, "flowers.h5"))).run()
