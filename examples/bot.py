"""A bot for a Gem server, which plays random moves: GEM_SITE=https://play.example.org GEM_TOKEN=gem_… python3 bot.py"""

import json
import os
import random
import time
from contextlib import suppress
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen
from uuid import uuid4


class Bot:
    def __init__(self, site, token, most=3):
        self.root, self.most = f"{site}/api/v1/", most
        self.etag, self.search_at = '"none"', 0
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(self, path, body=None, **headers):
        """Send a request until it is answered; it has a key, so that it acts once. None: nothing is new (304)."""
        data, pause = None if body is None else json.dumps(body).encode(), 1
        sent = {**self.headers, "Idempotency-Key": str(uuid4()), **headers}
        while True:
            wait, pause = pause, min(2 * pause, 60)
            with suppress(OSError, HTTPException, ValueError):  # no server, or half an answer
                try:
                    answer = urlopen(Request(self.root + path, data, sent), timeout=90)
                except HTTPError as error:  # 304, 409, 429: answers too
                    answer = error
                found = json.loads(answer.read() or "null")
                if answer.status < 400:
                    self.etag = answer.headers["ETag"] if path == "turns" else self.etag
                    return found
                wait = float(answer.headers["Retry-After"] or wait)
                if wait > 90 or (answer.status < 500 and answer.status != 429):
                    raise LookupError(found["code"], found["detail"])  # refused; the code is for programs
            time.sleep(wait + random.random())

    def look(self):
        """Answer every question that waits; if there is nothing new, look for company."""
        began, wish = time.monotonic(), {"Prefer": "wait=50", "If-None-Match": self.etag}
        news = self.ask("turns", **wish)
        for turn in news["turns"] if news else ():
            try:
                self.play(turn["match"])
            except LookupError as refusal:  # the match has gone on: ask anew, but not at once
                print(turn["match"], refusal)
                self.etag = '"none"'
                time.sleep(3)
        if not news or not news["turns"]:
            if began >= self.search_at:
                self.search_at = began + 10
                self.find_company()
            time.sleep(max(0, began + 2 - time.monotonic()))  # where the server does not hold the question

    def play(self, code):
        if asked := self.ask(f"matches/{code}")["asked"]:
            text = random.choice(asked["moves"]) if asked["moves"] else self.build(code)
            self.ask(f"matches/{code}/move", {"text": text, "prompt_ply": asked["prompt_ply"]})

    def build(self, code, begun=""):  # step by step, where moves are too many to list
        step = random.choice(self.ask(f"matches/{code}/steps?begun={quote(begun)}")["steps"])
        return step["text"] if step["complete"] else self.build(code, step["text"])

    def find_company(self):
        mine = self.ask("matches?status=open")["matches"] + self.ask("matches?status=running")["matches"]
        offers = self.ask("invitations")["invitations"] + self.ask("tables?allows_bots=true")["tables"]
        codes = {each.get("match") or each["code"] for each in offers} - {each["code"] for each in mine}
        for code in list(codes)[: max(0, self.most - len(mine))]:
            with suppress(LookupError):  # somebody was quicker
                self.ask(f"tables/{code}/join", {})


if __name__ == "__main__":
    bot = Bot(os.environ["GEM_SITE"], os.environ["GEM_TOKEN"])
    while True:
        bot.look()
