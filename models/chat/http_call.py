"""One HTTP call: send a request, return a call record; API keys are removed from stored texts."""

import asyncio
import html
import json
import os
import re
import time
import urllib.parse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, Self

from medassay.models.chat.conversation import Request
from medassay.models.chat.dialect import Dialect, Wording
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import CallRecord, CallStatus
from medassay.models.chat.providers import Provider
from medassay.models.chat.reply import Complaint
from medassay.models.chat.response_limits import HEADERS, Silence, read_within_bound
from medassay.models.chat.responses import Answered, code_within, http_error, read_body, refusal_of, said_in
from medassay.models.unpacking import BodyTooLarge

MASK = "[key]"
STOOD_STILL_S = 10.0
"""A time-out that is noticed this much later says nothing of the server."""
_VARIABLE = re.compile(r"(?:[A-Z0-9]+_)*API_KEY|[A-Z0-9_]*(?:_TOKEN|_SECRET)", re.IGNORECASE)
_SHORTEST = 6
"""Characters of a key that is masked wherever it stands. Placeholders of servers that need no key ("none") are shorter:
they are masked behind `Bearer` alone."""


def keys_in_use() -> list[str]:
    """Return the values of the environment's variables that are named as keys, tokens and secrets are."""
    held = (value.strip() for name, value in os.environ.items() if _VARIABLE.fullmatch(name))
    return sorted({value for value in held if value})


def without_keys(text: str, keys: Iterable[str]) -> str:
    """Put `[key]` in place of every key in a text, also as addresses, JSON and web pages write it."""
    written = sorted({form for key in keys for form in _forms(key)}, key=len, reverse=True)
    return re.sub("|".join(written), MASK, text) if written else text


def _forms(key: str) -> Iterator[str]:
    quoted = (
        urllib.parse.quote(key),
        urllib.parse.quote(key, safe=""),
        json.dumps(key)[1:-1],
        html.escape(key),
    )
    for form in {key, *quoted}:
        whole = re.escape(form)
        yield whole if len(key) >= _SHORTEST else rf"(?<=Bearer ){whole}(?!\w)"


@dataclass(frozen=True, slots=True)
class Sent:
    """One call as it went, the seconds the server wants us to wait if it said so, and whether to word it otherwise."""

    call: CallRecord
    retry_after_s: float | None
    can_be_reworded: bool = False


class Wire:
    """The connection to one endpoint, inside one event loop.

    Redirects are not followed and loopback servers are never reached through a proxy: nothing goes anywhere
    but to the endpoint that was named.
    """

    def __init__(self, endpoint: Endpoint, deadline_s: float) -> None:
        self.endpoint = endpoint
        self._deadline_s = deadline_s
        self._key = endpoint.api_key()
        self._masked_keys = [*keys_in_use(), *([self._key] if self._key else [])]
        self._client: Any = None
        self._close: Any = None
        self._silence = Silence(endpoint.label, deadline_s)
        self._watch: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        kept: dict[str, Any] = {
            "follow_redirects": False,
            "headers": HEADERS,
            "event_hooks": {"response": [read_within_bound]},
            "trust_env": not self.endpoint.is_loopback,
            # Certificates take a tenth of a second to read; on this machine, without TLS, nobody looks at them.
            "verify": not (self.endpoint.is_loopback and self.endpoint.base_url.startswith("http://")),
        }
        if self.endpoint.native:
            import httpx

            self._client = httpx.AsyncClient(timeout=None, **kept)
            self._close = self._client.aclose
        else:
            from openai import AsyncOpenAI, DefaultAsyncHttpxClient

            self._client = AsyncOpenAI(
                base_url=self.endpoint.base_url,
                api_key=self._key or "none",
                max_retries=0,
                timeout=self._deadline_s,
                http_client=DefaultAsyncHttpxClient(**kept),
            )
            self._close = self._client.close
        # A server of ours is slow, and its bar says so.
        if not self.endpoint.is_ours:
            self._watch = asyncio.create_task(self._silence.watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._watch is not None:
            self._watch.cancel()
        await self._close()

    def wording_of(self, request: Request[Any]) -> Wording:
        """Begin a request as this server is known to take it."""
        return Wording((self.endpoint.base_url, self.endpoint.model), has_schema=request.schema is not None)

    async def send(self, request: Request[Any], request_key: str, attempt: int, wording: Wording) -> Sent:
        """Make the call once, as it is worded now, and note in the wording what the server said to that."""
        asked_at, started = datetime.now(UTC), time.monotonic()
        with self._silence.during_a_call():
            answered, retry_after_s, can_be_reworded = await self._in_words(request, wording)
        answered = self._masked(answered)
        return Sent(
            CallRecord(
                request_key=request_key,
                sample_no=request.sample_no,
                attempt=attempt,
                endpoint=self.endpoint.identity,
                model_asked=self.endpoint.model,
                model_answered=answered.model,
                prompt_digest=request.prompt_digest,
                raw_text=answered.raw_text,
                finish_reason=answered.finish_reason,
                status=_with_reading(request, answered),
                error=answered.error,
                prompt_tokens=answered.prompt_tokens,
                completion_tokens=answered.completion_tokens,
                cached_tokens=answered.cached_tokens,
                latency_s=round(time.monotonic() - started, 6),
                asked_at=asked_at,
                retrieved=answered.retrieved,
                item_key=request.item_key,
                http_status=answered.http_status,
                guard_key=request.guard_key,
            ),
            retry_after_s,
            can_be_reworded,
        )

    async def _in_words(self, request: Request[Any], wording: Wording) -> tuple[Answered, float | None, bool]:
        """Post, and read what comes: also how long to wait, and whether other words are left to try."""
        dialect = wording.dialect
        sampling = {
            "temperature": request.temperature,
            **({"seed": request.seed} if request.seed is not None else {}),
            **{name: value for name, value in request.nucleus.items() if value is not None},
        }
        body = (
            {"encoding_format": "float"}
            if request.embeds
            else dialect.payload(request.schema_name, request.schema, request.max_tokens, sampling)
        )
        code, text, retry_after_s = await self._post(request, body)
        if isinstance(code, str):
            return Answered(code, error=text), None, False
        code = code_within(text) or code if code == 200 else code
        answered, can_be_reworded = self._heard(request, wording, dialect, code, text, retry_after_s)
        return replace(answered, http_status=code), retry_after_s, can_be_reworded

    def _heard(
        self,
        request: Request[Any],
        wording: Wording,
        dialect: Dialect,
        code: int,
        text: str,
        retry_after_s: float | None,
    ) -> tuple[Answered, bool]:
        if 200 <= code < 300:
            wording.taken(dialect)
            return read_body(request, text), False
        # Before it is shortened: a cut through the key would leave its beginning.
        text = self._without_key(text)
        refused = refusal_of(code, text, retry_after_s)
        if refused is not None:
            return refused, False
        can_be_reworded = wording.weakened(dialect, code, said_in(text))
        return Answered("http_error", error=self._advised(code, text)), can_be_reworded

    async def _post(
        self, request: Request[Any], body: dict[str, Any]
    ) -> tuple[int | Literal["timeout", "connection", "junk"], str, float | None]:
        """Post once; return (status, or what came in place of one; body or error; Retry-After)."""
        import openai

        if self.endpoint.native:
            return await self._post_natively(self.endpoint.native, request, body)
        if request.continued:
            body = {**body, "logprobs": request.top_logprobs, "prompt": request.messages[0].content}
        elif request.top_logprobs is not None:
            body = {**body, "logprobs": True, "top_logprobs": request.top_logprobs}
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        model = self.endpoint.model
        began = time.monotonic(), time.time()
        try:
            async with asyncio.timeout(self._deadline_s):
                # The body goes past the client's per-message transformation, a third of the time of a call.
                if request.embeds:
                    texts = [message.content for message in request.messages]
                    response = await self._client.embeddings.with_raw_response.create(
                        model=model, input=texts, extra_body=body
                    )
                elif request.continued:
                    response = await self._client.completions.with_raw_response.create(
                        model=model, prompt="", extra_body=body
                    )
                else:
                    response = await self._client.chat.completions.with_raw_response.create(
                        model=model, messages=[], extra_body={**body, "messages": messages}
                    )
                return response.http_response.status_code, response.http_response.text, None
        except BodyTooLarge as error:
            return "junk", str(error), None
        except (TimeoutError, openai.APITimeoutError):
            return *self._no_answer_since(began), None
        except openai.APIStatusError as error:
            return error.status_code, _words_of(error.response), _retry_after_s(error.response.headers)
        except openai.APIConnectionError as error:
            return (
                "connection",
                f"{type(error.__cause__ or error).__name__}: {error.__cause__ or error}",
                None,
            )

    async def _post_natively(
        self, provider: Provider, request: Request[Any], body: dict[str, Any]
    ) -> tuple[int | Literal["timeout", "connection", "junk"], str, float | None]:
        """Post to another API than OpenAI's; its reply comes as a chat completion."""
        import httpx

        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        native = provider.request(self.endpoint.model, {**body, "messages": messages})
        headers = native.headers | (provider.key_headers(self._key) if self._key else {})
        began = time.monotonic(), time.time()
        try:
            async with asyncio.timeout(self._deadline_s):
                response = await self._client.post(
                    self.endpoint.base_url + native.path, json=native.body, headers=headers
                )
            if not response.is_success:
                return response.status_code, _words_of(response), _retry_after_s(response.headers)
            return 200, json.dumps(provider.completion(response.json())), None
        except BodyTooLarge as error:
            return "junk", str(error), None
        except TimeoutError:
            return *self._no_answer_since(began), None
        except httpx.HTTPError as error:
            return "connection", f"{type(error).__name__}: {error}", None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return "junk", f"body begins {response.text[:120]!r}", None

    def _no_answer_since(self, began: tuple[float, float]) -> tuple[Literal["timeout", "connection"], str]:
        """Tell a server that was too slow from a machine that slept meanwhile, whose connections may be gone.

        `began` is by the monotonic clock, which a sleep stops, and by that of the day, which goes on; a process that
        was stopped hears of its time-out late by both.
        """
        late_s = max(time.monotonic() - began[0], time.time() - began[1]) - self._deadline_s
        if late_s > STOOD_STILL_S:
            return "connection", f"this machine stood still for {late_s:.0f} s"
        return "timeout", f"no answer within {self._deadline_s:g} s"

    def _advised(self, code: int, text: str) -> str:
        message = http_error(code, text)
        if code in (401, 403):
            message += f"; set {' or '.join(self.endpoint.key_variables)}"
        return message

    def _without_key(self, said: str) -> str:
        return without_keys(said, self._masked_keys)

    def _masked(self, answered: Answered) -> Answered:
        """Take keys out of every text that is stored: a server may repeat the headers that it got."""
        texts: dict[str, Any] = {
            name: self._without_key(text)
            for name in ("raw_text", "retrieved", "model", "finish_reason", "error")
            if (text := getattr(answered, name))
        }
        return replace(answered, **texts)


def _with_reading(request: Request[Any], answered: Answered) -> CallStatus:
    """Mark an answer that cannot be read as such, for whoever looks at the ledger."""
    if answered.status != "ok":
        return answered.status
    try:
        request.read(answered.raw_text or "")
    except Complaint:
        return "bad_json"
    return "ok"


def _words_of(response: Any) -> str:
    """Return an error's body; of a redirect, where it leads: nobody follows it with a text."""
    if 300 <= response.status_code < 400:
        elsewhere = response.headers.get("location") or "another address"
        return f"the server sends on to {elsewhere}, which is not followed: name that address instead"
    return str(response.text)


def _retry_after_s(headers: Any) -> float | None:
    """Read `Retry-After` in seconds or as a date, or OpenAI's `retry-after-ms`."""
    from email.utils import parsedate_to_datetime

    try:
        if milliseconds := headers.get("retry-after-ms"):
            return max(0.0, float(milliseconds) / 1000)
        value = headers.get("retry-after")
        if value is None:
            return None
        if value.strip().replace(".", "", 1).isdigit():
            return float(value)
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
