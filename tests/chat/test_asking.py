import asyncio
import re
import time
from typing import Any

import pytest

from medassay.models.chat import concurrency, response_limits
from medassay.models.chat.asking import ask_all
from medassay.models.chat.cap import Cap, Price
from medassay.models.chat.concurrency import known_traffic
from medassay.models.chat.conversation import Message, Outcome, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import CallRecord, MemoryLedger
from medassay.models.chat.reply import Complaint, read_objects

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def read_number(text: str) -> int:
    value = read_objects(text)[0].value
    if not isinstance(value.get("n"), int):
        raise Complaint("n: an integer is required")
    return int(value["n"])


def number(_: dict[str, Any]) -> dict[str, Any]:
    return {"n": 7}


def question(words: str = "How many?", sample_no: int = 0) -> Request[int]:
    message = Message("user", words)
    return Request(
        f"{words}/{sample_no}", (message,), read_number, SCHEMA, max_tokens=50, sample_no=sample_no
    )


@pytest.fixture
def endpoint(judge_server: Any) -> Endpoint:
    judge_server.behaviour.verdict = number
    return Endpoint(judge_server.base_url, "judge")


def test_an_answer_is_read_and_every_figure_of_the_call_is_on_record(
    judge_server: Any, endpoint: Endpoint
) -> None:
    ledger = MemoryLedger()
    outcomes = ask_all([question()], endpoint, ledger)
    assert [(o.status, o.value, o.reason, o.n_sent) for o in outcomes] == [("answered", 7, None, 1)]
    (call,) = ledger.calls
    assert outcomes[0].calls == (call,)
    assert (call.attempt, call.status, call.raw_text, call.finish_reason) == (1, "ok", '{"n": 7}', "stop")
    assert (call.model_asked, call.model_answered) == ("judge", "judge-2026-11-01")
    assert (call.prompt_tokens, call.completion_tokens, call.cached_tokens) == (2, 60, 32)
    assert call.asked_at.tzinfo is not None
    assert judge_server.bodies[0] == {
        "model": "judge",
        "messages": [{"role": "user", "content": "How many?"}],
        "max_tokens": 50,
        "temperature": 0.0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True},
        },
    }


def test_what_is_on_record_is_not_paid_again(judge_server: Any, endpoint: Endpoint) -> None:
    ledger = MemoryLedger()
    ask_all([question(), question(), question()], endpoint, ledger)
    again = ask_all([question()], endpoint, ledger)
    assert (len(judge_server.bodies), again[0].value, again[0].n_sent) == (1, 7, 0)
    ask_all([question(sample_no=1)], endpoint, ledger)
    assert len(judge_server.bodies) == 2


def test_a_bad_reply_is_asked_about_once_with_the_error_and_then_resumes_from_the_ledger(
    judge_server: Any, endpoint: Endpoint
) -> None:
    judge_server.behaviour.verdict = lambda body: {"n": "seven"}
    ledger = MemoryLedger()
    (outcome,) = ask_all([question()], endpoint, ledger)
    assert (outcome.status, outcome.reason) == (
        "abstained",
        "the reply could not be used after 2 askings: n: an integer is required",
    )
    assert judge_server.bodies[1]["messages"][1:] == [
        {"role": "assistant", "content": '{"n": "seven"}'},
        {
            "role": "user",
            "content": "Your reply could not be used: n: an integer is required. "
            "Send the whole reply again, as one JSON object and nothing else.",
        },
    ]
    (again,) = ask_all([question()], endpoint, ledger)
    assert (again.status, again.n_sent, len(judge_server.bodies)) == ("abstained", 0, 2)


@pytest.mark.parametrize(
    ("faults", "status", "reason", "sent"),
    [
        (["bad_json", "ok"], "answered", None, 2),
        (["length", "ok"], "answered", None, 2),
        (["length", "length"], "abstained", "the last of 2 replies was cut off after 200 tokens", 2),
        (["refusal"], "abstained", "the model refused to answer (I cannot assess medical content.)", 1),
        (["content_filter"], "abstained", "the server's content filter stopped the reply", 1),
        (["empty_choices", "ok"], "answered", None, 2),
        (["empty_choices"] * 3, "failed", "the server sent no reply (no choices)", 3),
        (["empty_text"] * 3, "failed", "the server sent no reply (empty content, finish reason stop)", 3),
        (
            ["tool_call"] * 3,
            "failed",
            "the server sent no reply (the model called a tool and wrote nothing)",
            3,
        ),
        (["junk"] * 3, "failed", "the server's response is not a chat completion", 3),
        (["error_500", "ok"], "answered", None, 2),
        (
            ["error_500"] * 3,
            "failed",
            "the server failed (HTTP 500: The server had an error)",
            3,
        ),
        (["reset", "ok"], "answered", None, 2),
        (["reset"] * 3, "failed", "the connection failed", 3),
        (["slow"], "failed", "the server did not answer in time (no answer within 0.3 s)", 1),
        (["rate_limit", "rate_limit", "ok"], "answered", None, 3),
        (["rate_limit"] * 9, "failed", "the server kept limiting the rate", 9),
        (["too_long"], "abstained", "the prompt is longer than the model's context", 1),
        (["redirect"], "failed", "the server refused the request (HTTP 307", 1),
    ],
)
def test_every_failure_ends_in_its_own_reason_within_the_budget(
    judge_server: Any, endpoint: Endpoint, faults: list[str], status: str, reason: str | None, sent: int
) -> None:
    judge_server.will(*faults)
    deadline_s = 0.3 if faults == ["slow"] else 30.0
    (outcome,) = ask_all([question()], endpoint, MemoryLedger(), deadline_s=deadline_s)
    assert (outcome.status, outcome.n_sent, len(judge_server.bodies)) == (status, sent, sent)
    assert (outcome.reason or "").startswith(reason or "")
    assert (outcome.reason is None) == (reason is None)


def test_a_call_that_the_machine_slept_through_is_made_again(
    judge_server: Any, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen with all processes of a run stopped for 31 minutes: the calls on their way were given up."""
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() + 1860 * bool(judge_server.bodies))
    judge_server.behaviour.slow_s = 1.0
    judge_server.will("slow")
    ledger = MemoryLedger()
    (outcome,) = ask_all([question()], endpoint, ledger, deadline_s=0.3)
    assert (outcome.status, outcome.value, [call.status for call in ledger.calls]) == (
        "answered",
        7,
        ["connection", "ok"],
    )
    assert (ledger.calls[0].error or "").startswith("this machine stood still for 18")


def test_a_cut_reply_gets_more_room(judge_server: Any, endpoint: Endpoint) -> None:
    judge_server.will("length")
    ask_all([question()], endpoint, MemoryLedger())
    assert [body["max_tokens"] for body in judge_server.bodies] == [50, 200]


def forms_sent(judge_server: Any) -> list[str]:
    return [body.get("response_format", {}).get("type", "plain") for body in judge_server.bodies]


def test_a_refused_form_is_remembered_and_every_refusal_is_an_attempt_on_record(
    judge_server: Any, endpoint: Endpoint
) -> None:
    judge_server.behaviour.refused_forms = frozenset({"json_schema", "json_object"})
    ledger = MemoryLedger()
    outcomes = ask_all([question("one"), question("two")], endpoint, ledger, concurrency=1)
    assert forms_sent(judge_server) == ["json_schema", "json_object", "plain", "plain"]
    refusal = "HTTP 400: response_format of type json_schema is not supported"
    assert ledger.calls[0].error == refusal
    assert [(c.attempt, c.status) for c in ledger.calls] == [
        (1, "http_error"),
        (2, "http_error"),
        (3, "ok"),
        (1, "ok"),
    ]
    assert [(o.n_sent, len(o.calls)) for o in outcomes] == [(3, 3), (1, 1)]
    again = ask_all([question("one"), question("two")], endpoint, ledger)
    assert ([o.n_sent for o in again], len(judge_server.bodies)) == ([0, 0], 4)


def test_a_form_that_no_error_names_is_tried_with_every_request(
    judge_server: Any, endpoint: Endpoint
) -> None:
    judge_server.behaviour.refused_forms = frozenset({"json_schema"})
    judge_server.behaviour.form_error = "bad request"
    ask_all([question(f"q{n}") for n in range(4)], endpoint, MemoryLedger(), concurrency=4)
    assert sorted(forms_sent(judge_server)) == ["json_object"] * 4 + ["json_schema"] * 4


def test_refused_forms_do_not_count_under_the_cap(judge_server: Any, endpoint: Endpoint) -> None:
    judge_server.behaviour.refused_forms = frozenset({"json_schema", "json_object"})
    judge_server.behaviour.latency_s = 0.02
    requests, cap, ledger = [question(f"q{n}") for n in range(16)], Cap(max_calls=16), MemoryLedger()
    outcomes = ask_all(requests, endpoint, ledger, concurrency=16, cap=cap)
    assert len(judge_server.bodies) == len(ledger.calls) > cap.spent.calls == 16
    assert {o.status for o in outcomes} == {"answered"}


def test_a_server_that_wants_other_parameters_gets_them(judge_server: Any, endpoint: Endpoint) -> None:
    judge_server.behaviour.refuses_max_tokens = judge_server.behaviour.refuses_temperature = True
    (outcome,) = ask_all([question()], endpoint, MemoryLedger())
    assert outcome.status == "answered"
    assert sorted(judge_server.bodies[-1]) == [
        "max_completion_tokens",
        "messages",
        "model",
        "response_format",
    ]


@pytest.mark.parametrize("key", ["sk-very-secret", "sk-longer-than-an-error-is-kept" * 20])
def test_the_key_is_sent_and_shown_nowhere(
    judge_server: Any, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("MEDASSAY_JUDGE_API_KEY", key)
    judge_server.will("error_401")
    ledger = MemoryLedger()
    (outcome,) = ask_all([question()], endpoint, ledger)
    assert judge_server.headers[0]["authorization"] == f"Bearer {key}"
    assert outcome.reason == (
        "the server refused the request (HTTP 401: Incorrect API key: Bearer [key]; "
        "set MEDASSAY_JUDGE_API_KEY or OPENAI_API_KEY)"
    )
    assert key[:9] not in repr(ledger.calls) + repr(outcome)


def test_a_loopback_server_is_not_reached_through_a_proxy(
    judge_server: Any, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask_all([question()], endpoint, MemoryLedger())[0].status == "answered"


def test_the_cap_stops_cleanly_and_keeps_what_is_done(judge_server: Any, endpoint: Endpoint) -> None:
    requests = [question(f"q{n}") for n in range(6)]
    cap, ledger = Cap(max_calls=4), MemoryLedger()
    outcomes = ask_all(requests, endpoint, ledger, concurrency=3, cap=cap)
    assert sorted(o.status for o in outcomes) == ["answered"] * 4 + ["failed"] * 2
    assert {o.reason for o in outcomes} == {None, "cap reached: the next call could exceed 4 calls"}
    assert len(judge_server.bodies) == len(ledger.calls) == cap.spent.calls == 4


def test_a_call_waits_for_the_room_that_others_give_back(judge_server: Any, endpoint: Endpoint) -> None:
    # The worst case of a call is over 100 tokens, so two fit at a time; each costs 60 when it is settled.
    cap = Cap(max_tokens=300)
    outcomes = ask_all([question(f"Q{n}?") for n in range(6)], endpoint, MemoryLedger(), cap=cap)
    assert [o.status for o in outcomes].count("answered") == 4
    assert (cap.spent.tokens, cap.reached) == (240, "cap reached: the next call could exceed 300 tokens")


def test_a_cap_counts_what_the_server_reports(judge_server: Any, endpoint: Endpoint) -> None:
    cap = Cap(max_tokens=1000, max_money=1.0, price=Price(0.0, 0.0)).at(Price(1000.0, 10_000.0), "EUR")
    outcomes = ask_all(
        [question("a" * 40), question("b" * 40)], endpoint, MemoryLedger(), concurrency=1, cap=cap
    )
    assert [o.status for o in outcomes] == ["answered", "failed"]
    assert outcomes[1].reason == "cap reached: the next call could exceed 1 EUR"
    assert (cap.spent.tokens, round(cap.spent.money, 6)) == (70, 0.61)


def test_what_a_server_does_not_count_is_the_worst_case(judge_server: Any, endpoint: Endpoint) -> None:
    # Six characters of prompt and 120 of schema; a reply has 50 tokens at most.
    worst = Cap()
    worst.reserve(question("How many?").most_prompt_tokens, 50)
    for usage in ({"prompt_tokens": 2}, {"prompt_tokens": 0, "completion_tokens": 0}, "none"):
        judge_server.behaviour.beside = {"usage": usage}
        cap = Cap(max_tokens=1000)
        ask_all([question()], endpoint, MemoryLedger(), cap=cap)
        told = 2 + 50 if usage == {"prompt_tokens": 2} else worst.spent.tokens
        assert cap.spent.tokens == told


@pytest.mark.parametrize(
    ("fault", "calls", "tokens"), [("error_500", 3, 0), ("error_400", 0, 0), ("rate_limit", 0, 0)]
)
def test_a_cap_counts_calls_that_failed_at_the_server(
    judge_server: Any, endpoint: Endpoint, fault: str, calls: int, tokens: int
) -> None:
    judge_server.behaviour.faulty_share, judge_server.behaviour.faults = 1.0, (fault,)
    cap = Cap(max_calls=4)
    ask_all([question()], endpoint, MemoryLedger(), cap=cap)
    assert (cap.spent.calls, cap.spent.tokens) == (calls, tokens)


def test_the_record_is_written_before_the_next_call(judge_server: Any, endpoint: Endpoint) -> None:
    class Watching(MemoryLedger):
        def record(self, *calls: CallRecord) -> None:
            super().record(*calls)
            assert len(judge_server.bodies) == len(self.calls)

    judge_server.will("bad_json", "bad_json", "error_500")
    ledger = Watching()
    ask_all([question(f"q{n}") for n in range(3)], endpoint, ledger, concurrency=1)
    assert len(ledger.calls) == len(judge_server.bodies)


def test_a_ledger_that_cannot_write_ends_the_batch(judge_server: Any, endpoint: Endpoint) -> None:
    class Full(MemoryLedger):
        def record(self, *calls: CallRecord) -> None:
            raise OSError("no space left on device")

    with pytest.raises(ExceptionGroup) as raised:
        ask_all([question()], endpoint, Full())
    assert [str(error) for error in raised.value.exceptions] == ["no space left on device"]


@pytest.mark.parametrize("fault", ["rate_limit", "slow", "error_401"])
def test_a_server_that_gives_nobody_anything_is_not_waited_for_by_everybody(
    judge_server: Any, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(concurrency, "PATIENCE_S", 0.1)
    judge_server.behaviour.faulty_share, judge_server.behaviour.faults = 1.0, (fault,)
    judge_server.behaviour.latency_s = 0.005
    requests = [question(f"q{n}") for n in range(200)]
    outcomes = ask_all(requests, endpoint, MemoryLedger(), concurrency=2, deadline_s=0.06)
    assert {o.status for o in outcomes} == {"failed"}
    sent = len(judge_server.bodies)
    assert sent < 100
    told = r"not asked: the server gave nobody anything for \d+ s, and last: the|not asked, since others were turned away: "
    assert re.match(told, outcomes[-1].reason or "")

    # It tries again when as long has passed, and who waited meanwhile is served where it is back.
    judge_server.behaviour.faulty_share = 0.0
    known_traffic(endpoint.identity, endpoint.model).tried_at -= 1.0
    assert {o.status for o in ask_all(requests[:8], endpoint, MemoryLedger())} == {"answered"}


@pytest.mark.parametrize(
    ("fault", "retry_after", "most", "told"),
    [("error_401", "0.01", 20, "HTTP 401"), ("rate_limit", "3600", 8, "the server kept limiting the rate")],
)
def test_a_server_that_lets_nobody_in_is_not_sent_everything(
    judge_server: Any, endpoint: Endpoint, fault: str, retry_after: str, most: int, told: str
) -> None:
    behaviour = judge_server.behaviour
    behaviour.faulty_share, behaviour.faults, behaviour.retry_after = 1.0, (fault,), retry_after
    outcomes = ask_all([question(f"q{n}") for n in range(200)], endpoint, MemoryLedger(), concurrency=4)
    assert {o.status for o in outcomes} == {"failed"}
    assert len(judge_server.bodies) <= most
    assert (outcomes[-1].reason or "").startswith("not asked, since others were turned away: ")
    assert told in (outcomes[-1].reason or "")


def test_outcomes_are_reported_as_they_come_and_returned_in_order(
    judge_server: Any, endpoint: Endpoint
) -> None:
    seen: list[Outcome[int]] = []
    requests = [question(f"q{n}") for n in range(5)]
    outcomes = ask_all(requests, endpoint, MemoryLedger(), on_done=seen.append)
    assert [o.item_key for o in outcomes] == [r.item_key for r in requests]
    assert sorted(o.item_key for o in seen) == sorted(r.item_key for r in requests)


def test_it_may_be_called_where_an_event_loop_runs(judge_server: Any, endpoint: Endpoint) -> None:
    async def inside() -> list[Outcome[int]]:
        return ask_all([question()], endpoint, MemoryLedger())

    assert asyncio.run(inside())[0].value == 7


def test_a_server_that_wants_an_hour_is_not_waited_for(judge_server: Any, endpoint: Endpoint) -> None:
    judge_server.behaviour.retry_after = "3600"
    judge_server.will("rate_limit")
    (outcome,) = ask_all([question()], endpoint, MemoryLedger())
    assert (outcome.status, outcome.n_sent) == ("failed", 1)
    assert (
        outcome.reason
        == "the server kept limiting the rate (HTTP 429: Rate limit reached (it asks to wait 3600 s))"
    )


@pytest.mark.parametrize(("told_after_s", "told"), [(0.4, True), (60.0, False)])
def test_whoever_watches_is_told_of_a_server_that_says_nothing(
    judge_server: Any,
    endpoint: Endpoint,
    monkeypatch: pytest.MonkeyPatch,
    told_after_s: float,
    told: bool,
) -> None:
    monkeypatch.setattr(response_limits, "TOLD_AFTER_S", told_after_s)
    judge_server.will("slow")
    lines: list[str] = []
    with response_limits.report_silent_servers_to(lines.append):
        ask_all([question()], endpoint, MemoryLedger(), deadline_s=1.2)
    line = rf"waiting for {re.escape(endpoint.label)}: nothing came for \d+ s, and a call is given up after 1.2 s"
    assert bool(lines) is told
    assert all(re.fullmatch(line, said) for said in lines)


def test_a_machine_that_slept_does_not_blame_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_limits, "TOLD_AFTER_S", 0.4)
    lines: list[str] = []

    async def sleeps_in_a_call() -> tuple[int, int]:
        silence = response_limits.Silence("judge", 60.0)
        watching = asyncio.create_task(silence.watch())
        with response_limits.report_silent_servers_to(lines.append), silence.during_a_call():
            await asyncio.sleep(0.05)
            time.sleep(0.8)  # nothing of this process goes on, as when the machine sleeps
            await asyncio.sleep(0.05)
            after_sleep = len(lines)
            await asyncio.sleep(0.8)
        watching.cancel()
        return after_sleep, len(lines)

    assert asyncio.run(sleeps_in_a_call()) == (0, 1)
