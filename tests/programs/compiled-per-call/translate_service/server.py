import argparse

import sentencepiece as spm
import torch
from aiohttp import web

import nets
from search import METHODS, score


class Translator:
    def __init__(self, path, vocab, device):
        self.device = torch.device(device)
        self.encoder, self.decoder = nets.load(path, self.device)
        self.pieces = spm.SentencePieceProcessor(model_file=vocab)

    def tensor(self, texts):
        rows = [torch.tensor(self.pieces.encode(t)) for t in texts]
        return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True).to(self.device)

    def translate(self, texts, method="greedy", limit=100):
        out = METHODS[method](
            self.encoder, self.decoder, self.tensor(texts), self.pieces.bos_id(), self.pieces.eos_id(), limit
        )
        return [self.pieces.decode(row.tolist()) for row in out]

    def score(self, text, reference):
        with torch.no_grad():
            return score(self.encoder, self.decoder, self.tensor([text]), self.tensor([reference]))


routes = web.RouteTableDef()


@routes.post("/translate")
async def translate(request):
    body = await request.json()
    translator = request.app["translator"]
    return web.json_response({"texts": translator.translate(body["texts"], body.get("method", "greedy"))})


@routes.post("/score")
async def score_route(request):
    body = await request.json()
    return web.json_response({"score": request.app["translator"].score(body["text"], body["reference"])})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--vocab", default="spm.model")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--port", type=int, default=8080)
    args = parser.parse_args()
    app = web.Application()
    app["translator"] = Translator(args.model, args.vocab, args.device)
    app.add_routes(routes)
    web.run_app(app, port=args.port)


if __name__ == "__main__":
    main()
