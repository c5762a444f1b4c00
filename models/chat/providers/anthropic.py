"""Anthropic's Messages API; a schema is sent as the one tool that the model has to call."""

import json

from medassay.models.chat.providers.provider import Body, NativeRequest, system_and_turns, token_limit

VERSION = "2023-06-01"
_SAMPLING = ("temperature", "top_p", "top_k")
_ENDS = {"end_turn": "stop", "stop_sequence": "stop", "tool_use": "stop", "max_tokens": "length"}


class Anthropic:
    """Messages of Claude models."""

    name = "anthropic"
    base_url = "https://api.anthropic.com/v1"
    key_variable = "ANTHROPIC_API_KEY"

    def key_headers(self, key: str) -> dict[str, str]:
        """Return the headers that carry the key."""
        return {"x-api-key": key}

    def request(self, model: str, body: Body) -> NativeRequest:
        """Write the request; it knows no seed."""
        system, turns = system_and_turns(body["messages"])
        native: Body = {"model": model, "max_tokens": token_limit(body), "messages": turns}
        native |= {"system": system} if system else {}
        native |= {name: body[name] for name in _SAMPLING if name in body}
        form = body.get("response_format", {})
        if form.get("type") == "json_schema":
            asked = form["json_schema"]
            tool = {
                "name": asked["name"], "description": "Give the reply.", "input_schema": asked["schema"],
            }  # fmt: skip
            native |= {"tools": [tool], "tool_choice": {"type": "tool", "name": asked["name"]}}
        return NativeRequest("/messages", native, {"anthropic-version": VERSION})

    def completion(self, reply: Body) -> Body:
        """Write a reply as a chat completion."""
        parts = reply["content"]
        called = [
            json.dumps(part["input"], ensure_ascii=False) for part in parts if part["type"] == "tool_use"
        ]
        texts = [part["text"] for part in parts if part["type"] == "text"]
        cited = [one for part in parts for one in part.get("citations") or ()]
        ended, usage = reply.get("stop_reason"), reply.get("usage") or {}
        return {
            "model": reply.get("model"),
            "choices": [
                {
                    "message": {"content": called[0] if called else "".join(texts)},
                    "finish_reason": _ENDS.get(str(ended), ended),
                }
            ],
            "usage": {
                "prompt_tokens": sum(
                    usage.get(name) or 0
                    for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
                ),
                "completion_tokens": usage.get("output_tokens"),
                "prompt_tokens_details": {"cached_tokens": usage.get("cache_read_input_tokens")},
            },
            "citations": [{name: one[name] for name in ("url", "title") if one.get(name)} for one in cited],
        }
