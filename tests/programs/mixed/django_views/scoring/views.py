import numpy as np
import tensorflow as tf
from django.http import JsonResponse
from rest_framework.response import Response
from rest_framework.views import APIView

from .models import Frozen, Served, sentence_encoder

TOXICITY = Frozen("toxicity.pb")
TOPIC = Served("topic.pb")
URL = "https://tfhub.dev/google/universal-sentence-encoder/2"


def toxicity(request):
    values = TOXICITY.ask("probability:0", {"text:0": [request.POST["text"]]})
    return JsonResponse({"toxicity": float(values[0])})


class TopicView(APIView):
    def post(self, request):
        values = TOPIC.ask("topic:0", {"text:0": [request.data["text"]]})
        return Response({"topic": int(values[0])})


class LanguageView(APIView):
    known = np.load("languages.npy")

    def post(self, request, format=None):
        vector = sentence_encoder(URL)([request.data["text"]])[0]
        sess = tf.Session(graph=tf.Graph())  # finding: session-per-step
        with sess, sess.graph.as_default():
            scores = sess.run(tf.nn.softmax(self.known @ vector))
        return Response({"language": int(scores.argmax())})
