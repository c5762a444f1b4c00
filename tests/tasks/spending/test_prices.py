"""The price file: what it may say, and what is said where it says something else."""

import json
from pathlib import Path
from typing import Any

import pytest

from medassay.models.usage import UsageError
from medassay.tasks.spending.caps import Tariff, refuse_unpriced, tariffs

GOOD = {"prompt_per_million": 0.5, "completion_per_million": 2, "currency": "EUR"}


def read(tmp_path: Path, content: Any) -> dict[str, Tariff]:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(content), "utf-8")
    return tariffs(tmp_path, None)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([], "it holds no object of models"),
        ({"m": None}, "m: needs completion_per_million, currency, prompt_per_million and nothing else"),
        ({"m": {**GOOD, "prompt_per_million": True}}, "m: True is no price, which is a number from 0"),
        ({"m": {**GOOD, "currency": " "}}, "m: the currency is no name"),
    ],
)
def test_what_is_no_price_is_named(tmp_path: Path, content: Any, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        read(tmp_path, content)
    assert said in str(refused.value)
    assert str(refused.value).endswith('"currency": "EUR"}}')


def test_a_price_file_that_is_a_folder_is_a_line_too(tmp_path: Path) -> None:
    (tmp_path / "prices.json").mkdir()
    with pytest.raises(UsageError, match="cannot be read as prices"):
        tariffs(tmp_path, None)


def test_euros_and_dollars_are_not_added_up(tmp_path: Path) -> None:
    known = read(tmp_path, {"m": GOOD, "n": {**GOOD, "currency": "USD"}})
    refuse_unpriced(["m"], known, tmp_path)
    with pytest.raises(UsageError, match="^--max-money needs prices in one currency, not in EUR, USD$"):
        refuse_unpriced(["m", "n"], known, tmp_path)
