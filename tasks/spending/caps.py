"""Spending cap of a run over all its models, with the user's price file."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from medassay.models.chat.cap import Cap, Price
from medassay.models.chat.endpoint import Endpoint
from medassay.models.judges.choosing import endpoints_of
from medassay.models.settings import Settings
from medassay.models.usage import UsageError
from medassay.models.weights.hub import hub_closed, refuse_no_folder
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.run import RunRef
from medassay.tasks.stages.stage import Step

PRICE_FILE = "prices.json"
FIELDS = {"prompt_per_million", "completion_per_million", "currency"}
FORM = '{"<model>": {"prompt_per_million": 0.5, "completion_per_million": 1.5, "currency": "EUR"}}'


@dataclass(frozen=True, slots=True)
class Tariff:
    """A model's price and the currency it is in."""

    price: Price
    currency: str


class Limited(Protocol):
    """Whatever says what asking may cost."""

    @property
    def max_calls(self) -> int | None:
        """Most calls."""

    @property
    def max_tokens(self) -> int | None:
        """Most tokens, sent and received."""

    @property
    def max_money(self) -> float | None:
        """Most money, in the currency of the price file."""


FREE = Price(0.0, 0.0)


def tariffs(home: Path, named: str | None) -> dict[str, Tariff]:
    """Read the price file: the one that is named, else `prices.json` in the home, else no prices.

    Raises:
        UsageError: when a named file is missing, or a file cannot be read.
    """
    path = Path(named) if named else home / PRICE_FILE
    if not path.exists():
        if named:
            raise UsageError(f"{path}: no such price file; write one of the form {FORM}")
        return {}
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(rows, dict):
            raise ValueError("it holds no object of models")
        return {model: _tariff(model, row) for model, row in rows.items()}
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as prices ({error}); its form is {FORM}") from None


def _tariff(model: str, row: Any) -> Tariff:
    if not isinstance(row, dict) or row.keys() != FIELDS:
        raise ValueError(f"{model}: needs {', '.join(sorted(FIELDS))} and nothing else")
    prices = [row["prompt_per_million"], row["completion_per_million"]]
    for price in prices:
        if isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price < float("inf"):
            raise ValueError(f"{model}: {price!r} is no price, which is a number from 0")
    if not isinstance(row["currency"], str) or not row["currency"].strip():
        raise ValueError(f"{model}: the currency is no name")
    return Tariff(Price(*map(float, prices)), row["currency"].strip())


def refuse_unpriced(models: Iterable[str], known: dict[str, Tariff], home: Path) -> None:
    """Refuse a cap in money where what a model costs is not known, or not in one currency.

    Raises:
        UsageError: naming the model and where to write its price, or the currencies.
    """
    asked = list(models)
    for model in asked:
        if model not in known:
            raise UsageError(
                f"--max-money needs the price of {model}: write {FORM} into {home / PRICE_FILE} "
                "or name a file with --prices"
            )
    currencies = {known[model].currency for model in asked}
    if len(currencies) > 1:
        raise UsageError(f"--max-money needs prices in one currency, not in {', '.join(sorted(currencies))}")


def check_prices(settings: Settings, home: Path) -> None:
    """Refuse models that are not there, keys that cannot be sent, a price file that cannot be read, and a cap where a
    price is not known.

    Raises:
        SpecError, UsageError: naming the model, and where to write its price.
    """
    known = tariffs(home, settings.prices)
    for spec in (settings.embedder, settings.reader):
        refuse_no_folder(spec)
    with hub_closed(settings.offline):
        elsewhere = [endpoint for endpoint in endpoints_of(settings) if not endpoint.is_ours]
    for endpoint in elsewhere:
        endpoint.api_key()
    if settings.max_money is not None:
        refuse_unpriced([endpoint.model for endpoint in elsewhere], known, home)


def cap_for(run: RunRef, endpoint: Endpoint | None) -> Cap:
    """Return the run's cap at the price of what is asked; None stands for a judge of ours, which costs no money.

    The cap lives as long as the run: the next one has its whole allowance again. The price is
    written down with the run, whose costs are counted at it.
    """
    settings = run.settings
    tariff = tariff_of(endpoint, tariffs(Path(run.home), settings.prices))
    if endpoint is not None and tariff is not None:
        run.warehouse.insert(
            "run_price",
            [
                {
                    "run_id": run.run_id,
                    "model": endpoint.model,
                    **asdict(tariff.price),
                    "currency": tariff.currency,
                }
            ],
        )
    return cap_at(_cap(run, settings), tariff)


@lru_cache(maxsize=8)
def _cap(run: RunRef, settings: Settings) -> Cap:
    return common_cap(settings)


def common_cap(settings: Limited) -> Cap:
    """Return a cap that several models draw on, each at its own price."""
    return Cap(settings.max_calls, settings.max_tokens, settings.max_money, FREE)


def tariff_of(endpoint: Endpoint | None, known: dict[str, Tariff]) -> Tariff | None:
    """Return what asking costs; None for a model of ours, which costs no money, and where no price is known."""
    return None if endpoint is None or endpoint.is_ours else known.get(endpoint.model)


def cap_at(cap: Cap, tariff: Tariff | None) -> Cap:
    """Return a cap at the price of what is asked."""
    return cap.at(tariff.price, tariff.currency) if tariff else cap.at(FREE)


def note_price(warehouse: Warehouse, endpoint: Endpoint | None, tariff: Tariff | None) -> None:
    """Write down what asking costs now, for calls that belong to no run; asking a model of ours costs nothing."""
    if endpoint is None or endpoint.is_ours:
        return
    price: Row = {"model": endpoint.model, "told_at": datetime.now(UTC)}
    if tariff is not None:
        price |= asdict(tariff.price) | {"currency": tariff.currency}
    warehouse.append("asking_price", [price])


def how_to_go_on(reached: str) -> str:
    """Describe what to do after a cap was reached."""
    return f"{reached}; what was asked is kept, and the same command goes on with what is left"


def note_cap(step: Step, cap: Cap) -> None:
    """Write into the stage's row that the cap kept a call of its own from being made, and how to go on."""
    if cap.turned_away and not step.stopped:
        step.stopped = True
        step.note = "; ".join(filter(None, (step.note, how_to_go_on(cap.turned_away))))
