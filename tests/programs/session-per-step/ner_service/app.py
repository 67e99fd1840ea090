# requires: tensorflow==1.15.*, tornado
import json
import logging

import tornado.ioloop
import tornado.web
from tornado.options import define, options

from tagger import Tagger

define("port", default=8888, type=int)
define("model_dir", default="runs/ner-2019-08", type=str)


class NerHandler(tornado.web.RequestHandler):
    def initialize(self, tagger):
        self.tagger = tagger

    def post(self):
        body = json.loads(self.request.body)
        sentences = [s.split() for s in body["sentences"]]
        tags = self.tagger.tag(sentences)
        self.set_header("Content-Type", "application/json")
        self.write(json.dumps({"tags": tags}))


class PingHandler(tornado.web.RequestHandler):
    def get(self):
        self.write("pong")


def make_app(tagger):
    return tornado.web.Application([(r"/ner", NerHandler, {"tagger": tagger}), (r"/ping", PingHandler)])


if __name__ == "__main__":
    options.parse_command_line()
    app = make_app(Tagger(options.model_dir))
    app.listen(options.port)
    logging.info("listening on %d", options.port)
    tornado.ioloop.IOLoop.current().start()
