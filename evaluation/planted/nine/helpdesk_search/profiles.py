"""The profile service of another team: answers after a while over the network."""
import time


class ProfileStore:
    def __init__(self, latency):
        self.latency = latency

    def _answer(self, user):
        return {"user": user, "tier": ("basic", "plus", "pro")[int(user[1:]) % 3]}

    def get(self, user):
        time.sleep(self.latency)
        return self._answer(user)
