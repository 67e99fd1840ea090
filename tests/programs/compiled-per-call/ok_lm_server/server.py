import os
import pickle

from engine import Engine
from flask import Flask, jsonify, request
from model import Decoder
from tokenizer import Tokenizer


def create_app():
    app = Flask(__name__)
    with open(os.environ["PARAMS"], "rb") as f:
        params = pickle.load(f)
    engine = Engine(Decoder(vocab=32000, dim=1024, depth=16), params)
    tokenizer = Tokenizer(os.environ["VOCAB"])

    @app.route("/complete", methods=["POST"])
    def complete():
        body = request.get_json()
        ids = engine.generate(tokenizer.encode(body["prompt"]), min(int(body.get("n", 64)), 256),
                              float(body.get("temperature", 0.0)), int(body.get("seed", 0)))
        return jsonify(text=tokenizer.decode(ids))

    return app


if __name__ == "__main__":
    create_app().run(port=5000)
