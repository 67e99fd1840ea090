from flask import Flask, jsonify, request

from moderation import Moderator
from settings import SETTINGS

app = Flask(__name__)
moderator = Moderator(SETTINGS)


@app.route("/health")
def health():
    return "ok"


@app.route("/moderate", methods=["POST"])
def moderate():
    body = request.get_json(force=True)
    verdicts = moderator.judge(body["comments"], body.get("lang", "en"))
    return jsonify(verdicts=verdicts)


if __name__ == "__main__":
    app.run("0.0.0.0", SETTINGS["port"], threaded=True)
