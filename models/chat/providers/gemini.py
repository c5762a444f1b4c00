"""Google's Gemini API, `generateContent`."""

from medassay.models.chat.providers.provider import Body, NativeRequest, system_and_turns, token_limit

_SAMPLING = {"temperature": "temperature", "top_p": "topP", "top_k": "topK", "seed": "seed"}


class Gemini:
    """Contents of Gemini models."""

    name = "gemini"
    base_url = "https://generativelanguage.googleapis.com/v1beta"
    key_variable = "GEMINI_API_KEY"

    def key_headers(self, key: str) -> dict[str, str]:
        """Return the headers that carry the key."""
        return {"x-goog-api-key": key}

    def request(self, model: str, body: Body) -> NativeRequest:
        """Write the request; a schema goes as JSON Schema, where the model takes one."""
        system, turns = system_and_turns(body["messages"])
        settings: Body = {"maxOutputTokens": token_limit(body)}
        settings |= {native: body[name] for name, native in _SAMPLING.items() if name in body}
        if form := body.get("response_format"):
            settings["responseMimeType"] = "application/json"
            if form["type"] == "json_schema":
                settings["responseJsonSchema"] = form["json_schema"]["schema"]
        contents = [
            {
                "role": "model" if turn["role"] == "assistant" else "user",
                "parts": [{"text": turn["content"]}],
            }
            for turn in turns
        ]
        native: Body = {"contents": contents, "generationConfig": settings}
        native |= {"systemInstruction": {"parts": [{"text": system}]}} if system else {}
        return NativeRequest(f"/models/{model}:generateContent", native)

    def completion(self, reply: Body) -> Body:
        """Write a reply as a chat completion; a prompt that was blocked has no candidate, and says why."""
        usage = reply.get("usageMetadata") or {}
        if not reply.get("candidates"):
            blocked = reply["promptFeedback"]["blockReason"]
            candidate: Body = {
                "finishReason": "content_filter",
                "content": {"parts": [{"text": str(blocked)}]},
            }
        else:
            candidate = reply["candidates"][0]
        parts = candidate.get("content", {}).get("parts") or []
        text = "".join(part["text"] for part in parts if "text" in part and not part.get("thought"))
        ended = str(candidate.get("finishReason") or "").lower()
        grounded = (candidate.get("groundingMetadata") or {}).get("groundingChunks") or []
        thought = usage.get("thoughtsTokenCount") or 0
        return {
            "model": reply.get("modelVersion"),
            "choices": [{"message": {"content": text}, "finish_reason": ended}],
            "usage": {
                "prompt_tokens": usage.get("promptTokenCount"),
                "completion_tokens": (usage.get("candidatesTokenCount") or 0) + thought,
                "prompt_tokens_details": {"cached_tokens": usage.get("cachedContentTokenCount")},
            },
            "citations": [
                {"url": chunk["web"]["uri"], "title": chunk["web"].get("title", "")}
                for chunk in grounded
                if "web" in chunk
            ],
        }
