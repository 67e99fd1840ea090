"""The load of a working day: some clients that each ask one question after another."""
import asyncio

import httpx


async def client(app, queue, answers):
    while queue:
        ask = queue.pop()
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://desk") as http:
            response = await http.post("/search", json=ask)
            response.raise_for_status()
            answers[ask["request_id"]] = response.json()


async def replay(app, load, clients):
    queue = list(reversed(load))
    answers = {}
    await asyncio.gather(*(client(app, queue, answers) for _ in range(clients)))
    return answers
