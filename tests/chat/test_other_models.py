"""Another model than the one asked is named; a dated version or a shorter name of it is not."""

from medassay.models.chat.ledger import is_another, told


def test_only_another_model_is_named() -> None:
    assert not is_another("gpt-4o", "gpt-4o-2024-08-06")
    assert not is_another("openai/gpt-4o", "GPT-4o")
    assert is_another("big-model", "small-model")
    asked = [("big", "small"), ("big", "big-2026"), ("big", None), ("big", "small")]
    assert told("judge", asked) == ["judge: big was asked, and small answered"]
