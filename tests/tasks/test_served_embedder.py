"""An embedder behind `/v1/embeddings`: a server on loopback that runs the embedded model gives the embedded model's run."""

import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medassay.models.embedder_folder import EmbedderUnavailable
from medassay.models.embedding import describe_embedder, load_embedder
from medassay.models.settings import Settings
from medassay.models.specs import SpecError
from medassay.models.usage import UsageError
from medassay.sql.warehouse import warehouse_at
from medassay.tasks.parts.evaluating import evaluate_part
from medassay.tasks.parts.executor import PartsExecutor, travelling
from medassay.tasks.parts.part import Place
from medassay.tasks.phi import PhiFound
from medassay.tasks.pipeline import IN_PROCESS, evaluate
from medassay.tasks.spending.planning import plan
from tests.rows import write_tables

pytestmark = pytest.mark.usefixtures("needs_the_embedder")
LONG = "Aspirin lowers the risk of stroke in patients with atrial fibrillation. " * 12


class Server(ThreadingHTTPServer):
    """Answers as OpenAI-compatible servers do, with the embedded model's vectors, three times as long, last text first."""

    daemon_threads = True

    def __init__(self, host: str) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.refusals: list[tuple[int, str]] = []
        self.longest = 10_000
        super().__init__((host, 0), Handler)

    @property
    def spec(self) -> str:
        return f"http://{self.server_address[0]}:{self.server_address[1]}/v1#mini"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = body["input"]
        self.server.asked.append(body)
        self.server.keys.append(self.headers["authorization"])
        if self.path != "/v1/embeddings":
            self.answer(404, {"error": {"message": "no such path"}})
        elif self.server.refusals:
            code, message = self.server.refusals.pop(0)
            self.answer(code, {"error": {"message": message}})
        elif max(map(len, texts)) > self.server.longest:
            self.answer(400, {"error": {"message": "This model's maximum context length is 256 tokens"}})
        else:
            vectors = load_embedder("embedded").encode(texts) * 3
            rows = [{"index": n, "embedding": vector.tolist()} for n, vector in enumerate(vectors)]
            usage = {"prompt_tokens": len(texts) * 7, "total_tokens": len(texts) * 7}
            self.answer(200, {"data": rows[::-1], "model": "mini", "usage": usage})

    def answer(self, code: int, body: dict[str, Any]) -> None:
        sent = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture(params=["127.0.0.1"])
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "127.0.0.1,127.0.0.2")
    monkeypatch.setenv("MEDASSAY_EMBEDDER_API_KEY", "key-of-the-embedder")
    server = Server(request.param)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


def written(folder: Path, answer: str = "Aspirin thins the blood. It may cause bleeding.") -> str:
    nuggets = ["Aspirin thins blood.", "Bleeding is a risk of aspirin."]
    questions = [{"question_id": "q1", "question": "What does aspirin do?", "nuggets": nuggets}]
    answers = [
        {"question_id": "q1", "system": "a", "answer": answer},
        {"question_id": "q1", "system": "b", "answer": "Metformin lowers glucose."},
    ]
    return str(write_tables(folder, questions=questions, answers=answers))


def settings_of(data: str, **chosen: Any) -> Settings:
    return Settings(
        data, **{"reader": "none", "judge": "none", "matcher": "cosine", "offline": True, **chosen}
    )


def test_a_run_is_that_of_the_same_model_loaded_here(tmp_path: Path, server: Server) -> None:
    data = written(tmp_path / "data")
    numbers = {}
    for home, embedder in (("here", "embedded"), ("there", server.spec)):
        evaluate(tmp_path / home, settings_of(data, embedder=embedder))
        rows = warehouse_at(tmp_path / home).rows(
            "select system, metric, round(value, 4) as value from mart.system_score order by all"
        )
        numbers[home] = [tuple(row.values()) for row in rows]
    assert numbers["there"] == numbers["here"]
    assert ("a", "nugget_coverage", 1.0) in numbers["there"]
    warehouse = warehouse_at(tmp_path / "there")
    (named,) = warehouse.rows("select spec from fingerprint where fingerprint.stage = 'embed'")
    address = server.spec.removesuffix("#mini")
    assert json.loads(named["spec"]) == describe_embedder(server.spec)
    assert (json.loads(named["spec"])["model"], json.loads(named["spec"])["base_url"]) == ("mini", address)
    lengths = warehouse.rows(
        "select distinct round(list_inner_product(vector, vector), 5) as one from embedding"
    )
    assert lengths == [{"one": 1.0}]
    costs = warehouse.rows("select stage, model, n_calls, prompt_tokens from mart.cost")
    n_texts = sum(len(body["input"]) for body in server.asked)
    assert costs == [{"stage": "embed", "model": "mini", "n_calls": 1, "prompt_tokens": 7 * n_texts}]
    assert set(server.keys) == {"Bearer key-of-the-embedder"}
    asked = len(server.asked)
    evaluate(tmp_path / "there", settings_of(data, embedder=server.spec))
    assert len(server.asked) == asked


def test_a_text_too_long_for_the_model_is_the_mean_of_its_halves(tmp_path: Path, server: Server) -> None:
    server.longest = 500
    data = written(tmp_path / "data", LONG.replace(". ", ", ").strip(", ") + ".")
    evaluate(tmp_path / "home", settings_of(data, embedder=server.spec))
    rows = warehouse_at(tmp_path / "home").rows(
        "select text, vector from embedding join text using (text_key)"
    )
    vectors = {row["text"]: np.asarray(row["vector"]) for row in rows}
    longest = max(vectors, key=len)
    assert len(longest) > 500
    (here,) = load_embedder("embedded").encode([longest])
    assert float(vectors[longest] @ here) > 0.9
    assert max(len(text) for body in server.asked for text in body["input"]) > 500


@pytest.mark.parametrize("refusals", [[(500, "busy")] * 40, [(401, "wrong key")] * 40])
def test_where_no_vector_comes_nothing_is_matched_and_the_run_goes_on_later(
    tmp_path: Path, server: Server, refusals: list[tuple[int, str]]
) -> None:
    settings = settings_of(written(tmp_path / "data"), embedder=server.spec)
    server.refusals = refusals
    with pytest.raises(
        EmbedderUnavailable, match=r"#mini gave no vectors \(.*the same command goes on from there"
    ):
        evaluate(tmp_path / "home", settings)
    server.refusals = []
    assert evaluate(tmp_path / "home", settings).n_answers == 2


def test_caps_and_prices_hold_for_the_embedder(tmp_path: Path, server: Server) -> None:
    data = written(tmp_path / "data")
    with pytest.raises(EmbedderUnavailable, match="cap reached: the next call could exceed 0 calls"):
        evaluate(tmp_path / "home", settings_of(data, embedder=server.spec, max_calls=0))
    with pytest.raises(UsageError, match="--max-money needs the price of mini"):
        evaluate(tmp_path / "home", settings_of(data, embedder=server.spec, max_money=1.0))
    (planned,) = [
        stage
        for stage in plan(tmp_path / "home", settings_of(data, embedder=server.spec)).stages
        if stage.stage == "embed"
    ]
    assert server.asked == []
    assert (planned.model, planned.n_calls) == (server.spec, 1)


@pytest.mark.parametrize("server", ["127.0.0.2"], indirect=True)
def test_what_may_name_a_patient_is_blocked_or_redacted(tmp_path: Path, server: Server) -> None:
    data = written(tmp_path / "data", "Mrs Jane Doe takes aspirin. It thins the blood.")
    with pytest.raises(PhiFound, match="answer of a to q1: 1 × name"):
        evaluate(tmp_path / "home", settings_of(data, embedder=server.spec))
    assert server.asked == []
    evaluate(tmp_path / "home", settings_of(data, embedder=server.spec, phi="redact"))
    sent = " ".join(text for body in server.asked for text in body["input"])
    assert "thins the blood" in sent
    assert "Jane" not in sent


class Inline:
    """Evaluates parts in this process."""

    n_parts = 2
    leaves_parts = False

    def submit(self, parts: Sequence[Place]) -> Iterator[tuple[Place, str | None]]:
        for part in parts:
            evaluate_part(part.url)
            yield part, None


def test_vectors_are_asked_for_here_and_travel_with_the_parts(tmp_path: Path, server: Server) -> None:
    settings = settings_of(written(tmp_path / "data"), embedder=server.spec)
    assert "embed" not in travelling(settings) and "shortlist" in travelling(settings)
    scores = []
    for home, executor in (
        ("one", IN_PROCESS),
        ("two", PartsExecutor(IN_PROCESS, Inline(), Place(str(tmp_path / "parts")))),
    ):
        summary = evaluate(tmp_path / home, settings, executor)
        query = "select * exclude (run_id) from mart.score where run_id = ? order by all"
        scores.append(warehouse_at(tmp_path / home).rows(query, [summary.run_id]))
    assert scores[0] == scores[1] != []


@pytest.mark.parametrize("spec", ["anthropic:model", "http://host/v1", "logprobs:http://host/v1#m"])
def test_what_has_no_embeddings_is_no_embedder(spec: str) -> None:
    with pytest.raises(UsageError, match="write "):
        Settings("data", embedder=spec)


def test_an_address_with_a_key_in_it_is_refused() -> None:
    with pytest.raises(SpecError, match="put the key into the environment variable"):
        describe_embedder("http://user:secret@host/v1#m")
