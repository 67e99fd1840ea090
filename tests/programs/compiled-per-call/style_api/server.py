from flask import Flask, jsonify, request

from .engine import StyleEngine
from .imaging import decode, encode
from .settings import SETTINGS

app = Flask(__name__)
engine = StyleEngine()


@app.route("/health")
def health():
    return jsonify(warm=engine.warm)


@app.route("/stylize", methods=["POST"])
def stylize():
    body = request.get_json()
    content = decode(body["content"], SETTINGS.max_side)
    style = decode(body["style"], 256)
    picture = engine.stylize(content, style, float(body.get("strength", 1.0)))
    return jsonify(image=encode(picture))


@app.route("/palette", methods=["POST"])
def palette():
    body = request.get_json()
    image = decode(body["image"], 128)
    colours = engine.palette(image, int(body.get("colours", 5)))
    return jsonify(colours=colours.tolist())


if __name__ == "__main__":
    engine.warm_up()
    app.run("0.0.0.0", SETTINGS.port)
