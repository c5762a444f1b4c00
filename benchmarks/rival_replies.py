"""What the loopback server replies to tools that are not ours, so that each gets the reply it asks for.

RAGAS writes the JSON schema of the reply into its prompt: the reply is made from it. DeepEval asks for one of a few
keys: the reply holds them all, and it takes its own.
"""

import json
from typing import Any

_SCHEMA_FOLLOWS = "as specified in JSON Schema:"
_SENTENCE = "The tablet is taken once a day."
_N_ITEMS = 3
KEYS_OF_DEEPEVAL: dict[str, Any] = {
    "score": 7,
    "reason": "It was read.",
    **{key: [_SENTENCE] * _N_ITEMS for key in ("statements", "claims", "truths", "opinions")},
    "verdicts": [{"verdict": "yes", "reason": "It says so."}] * _N_ITEMS,
}


def reply_to(body: dict[str, Any]) -> dict[str, Any]:
    """Return the object that the prompt asks for; three claims, statements or verdicts wherever there is a list."""
    prompt = " ".join(str(message["content"]) for message in body["messages"])
    place = prompt.rfind(_SCHEMA_FOLLOWS)
    if place < 0:
        return KEYS_OF_DEEPEVAL
    schema, _ = json.JSONDecoder().raw_decode(prompt[place + len(_SCHEMA_FOLLOWS) :].lstrip())
    made: dict[str, Any] = instance_of(schema, schema.get("$defs", {}))
    return made


def instance_of(schema: dict[str, Any], definitions: dict[str, Any]) -> Any:
    """Make the plainest instance of a JSON schema: three items in a list, 1 for a number."""
    if reference := schema.get("$ref"):
        return instance_of(definitions[reference.rsplit("/", 1)[-1]], definitions)
    kind = schema.get("type")
    if kind == "object":
        return {name: instance_of(part, definitions) for name, part in schema["properties"].items()}
    if kind == "array":
        return [instance_of(schema["items"], definitions)] * _N_ITEMS
    return {"integer": 1, "number": 1.0, "boolean": True}.get(str(kind), _SENTENCE)
