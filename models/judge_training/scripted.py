"""A scripted evaluator of the template world on loopback: it asks for what it does not know, and it errs.

It stands in for a large model where the whole training is to be seen at work without one. Everything it says depends
on its seed and on what it is asked, so that the same call has the same reply.
"""

import json
import random
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from medassay.models.chat.fence import blocks_in
from medassay.models.judge_training.template_world import PARTS, WorldQuestion, analysis_of, mistaken
from medassay.models.keys import content_key

_TOLD = re.compile(
    r"(?P<drug>\w+) is taken as (?P<dose>\d+) mg for (?P<length>\d+) days without (?P<food>\w+)",
    re.IGNORECASE,
)
_SUGGESTED = re.compile(r"(?P<dose>\d+) mg, (?P<length>\d+) days, no (?P<food>\w+):")


@dataclass(frozen=True, slots=True)
class Temper:
    """How an evaluator behaves: how often it asks, mistakes a part it was told or not, and rejects a suggestion."""

    asks: float = 0.9
    errs_told: float = 0.02
    errs_untold: float = 0.4
    rejects: float = 0.3


STRONG, WEAK = Temper(), Temper(asks=0.7, errs_told=0.08, errs_untold=0.5)


class ScriptedEvaluator:
    """What the evaluator replies to a chat: it knows the world's questions by their text, and drugs from passages."""

    def __init__(self, questions: list[WorldQuestion], temper: Temper, seed: int) -> None:
        self._by_text = {question.question: question for question in questions}
        self.temper, self.seed = temper, seed

    def reply(self, messages: list[dict[str, str]]) -> str:
        """Answer a chat: ask, evaluate, suggest, consent or revise, as the instructions say."""
        system = messages[0]["content"]
        users = [message["content"] for message in messages if message["role"] == "user"]
        blocks = blocks_in(users[0])
        question = self._asked_about(blocks)
        if question is None:
            return "I know nothing about this question."
        chance = random.Random(content_key([self.seed, *messages_text(messages)]))
        told = _told(users, question.drug)
        if "Verdict: accept" in system:
            return self._consent(blocks, chance)
        if "Suggestions:" in system:
            n_objections = sum(name.startswith("objection") for name in blocks)
            return self._suggest(question, told, chance) + "\n2. It was looked up again." * n_objections
        if "that were accepted" in system:
            return self._revision(question, blocks)
        if (
            told is None
            and "[Question]:" in system
            and len(users) == 1
            and chance.random() < self.temper.asks
        ):
            return f"[Question]: How is {question.drug} taken?"
        errs = self.temper.errs_untold if told is None else self.temper.errs_told
        return analysis_of(question, mistaken(question, chance, errs))[0]

    def _asked_about(self, blocks: dict[str, str]) -> WorldQuestion | None:
        """Return the question with its answers in the order in which they are shown."""
        known = self._by_text.get(blocks.get("question", ""))
        if known is None:
            return None
        shown = [text for name, text in blocks.items() if re.fullmatch(r"Doctor \d+", name)]
        return known.in_order(shown) if all(text in known.responses for text in shown) else None

    def _suggest(self, question: WorldQuestion, told: dict[str, str] | None, chance: random.Random) -> str:
        true = told or mistaken(question, chance, self.temper.errs_untold)
        must = f"{true['dose']} mg, {true['length']} days, no {true['food']}"
        source = "The passages say" if told else "I believe that"
        return f"Suggestions:\n1. {source} {question.drug} is {must}: mark every doctor by that."

    def _consent(self, blocks: dict[str, str], chance: random.Random) -> str:
        rests_on_passages = "The passages say" in blocks.get("suggestions", "")
        if not rests_on_passages or chance.random() < self.temper.rejects:
            return "Reason: It is not plain where the suggestion comes from.\nVerdict: reject"
        return "Reason: The suggestion rests on passages.\nVerdict: accept"

    def _revision(self, question: WorldQuestion, blocks: dict[str, str]) -> str:
        found = _SUGGESTED.search(blocks.get("suggestions", ""))
        return analysis_of(question, {**question.truth, **(found.groupdict() if found else {})})[0]


def messages_text(messages: list[dict[str, str]]) -> list[str]:
    """Return what was said so far without code words, so that replies do not depend on a home's secret."""
    return [re.sub(r"\b[0-9a-f]{16}\b", "", message["content"]) for message in messages]


def _told(users: list[str], drug: str) -> dict[str, str] | None:
    """Return what the passages shown so far say of a drug, by part."""
    for text in users:
        passages = [
            block for name, block in blocks_in(text).items() if not name.startswith(("Doctor", "question"))
        ]
        for found in _TOLD.finditer("\n".join(passages)):
            if found["drug"].casefold() == drug.casefold():
                return {part: found[part] for part in PARTS}
    return None


@contextmanager
def scripted_server(evaluators: dict[str, ScriptedEvaluator]) -> Iterator[str]:
    """Serve evaluators by their model names over an OpenAI-compatible API on 127.0.0.1; gives the base URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            """Answer a chat completion."""
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            evaluator = evaluators.get(body.get("model", ""))
            if evaluator is None:
                self._send(404, {"error": {"message": f"no model {body.get('model')}"}})
            else:
                self._send(200, _completion(body["model"], evaluator.reply(body["messages"])))

        def _send(self, code: int, body: dict[str, Any]) -> None:
            payload = json.dumps(body).encode()
            self.send_response_only(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, format: str, *args: Any) -> None:
            """Write no log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=lambda: server.serve_forever(0.02), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _completion(model: str, said: str) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [choice],
        "usage": usage,
    }
