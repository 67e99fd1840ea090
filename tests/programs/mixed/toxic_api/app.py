from fastapi import FastAPI
from pydantic import BaseModel

import scorer

app = FastAPI()
summaries = scorer.Summaries()


class Comment(BaseModel):
    text: str


class Queue(BaseModel):
    texts: list[str]


@app.post("/score")
def score(comment: Comment):
    return {"toxic": scorer.score([comment.text])[0], "language": scorer.language(comment.text)}


@app.post("/queue")
def queue(waiting: Queue):
    best = scorer.rank(waiting.texts)[:20]
    return {"ranked": best, "summaries": summaries.quick([text for _, text in best])}


@app.get("/digest")
def digest():
    with open("today.txt") as lines:
        return summaries.slow([line.strip() for line in lines])
