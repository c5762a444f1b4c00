"""Hard cap on calls, tokens and money, shared by a run's workers."""

import threading
from dataclasses import dataclass, field


class CapReached(RuntimeError):
    """The next call could exceed what the user allowed; nothing more is asked."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in the user's currency per million tokens."""

    prompt_per_million: float
    completion_per_million: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the price of one call."""
        return (
            prompt_tokens * self.prompt_per_million + completion_tokens * self.completion_per_million
        ) / 1_000_000


@dataclass(frozen=True, slots=True)
class Spending:
    """An amount of calls, tokens and money."""

    calls: int = 0
    tokens: int = 0
    money: float = 0.0


@dataclass(frozen=True, slots=True)
class Reserved:
    """The worst case of one call under way."""

    prompt_tokens: int
    reply_tokens: int
    spending: Spending


@dataclass(slots=True)
class _Pot:
    """What is spent so far, by everybody who draws on it, and how many calls are under way."""

    spent: Spending = field(default_factory=Spending)
    under_way: int = 0
    reached: str | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


class Cap:
    """Limits that hold at every moment: a call's worst case is reserved before it is made.

    The worst case is the most tokens that the prompt can be, in whatever script (see `conversation`), and every
    token the reply may have. Settling replaces it by what the server reported.
    """

    def __init__(
        self,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        max_money: float | None = None,
        price: Price | None = None,
        currency: str = "money",
    ) -> None:
        if max_money is not None and price is None:
            raise ValueError("a cap in money needs the price of a token")
        self._limits = (max_calls, max_tokens, max_money)
        self._price = price or Price(0.0, 0.0)
        self._currency = currency
        self._pot = _Pot()
        self._turned_away: str | None = None

    def at(self, price: Price | None, currency: str | None = None) -> "Cap":
        """Return the same limits over the same spending, for calls at another price, in a currency that messages name.

        Raises:
            ValueError: when money is limited and no price is given.
        """
        other = Cap(*self._limits, price=price, currency=currency or self._currency)
        other._pot = self._pot
        return other

    @property
    def spent(self) -> Spending:
        """What was spent and what is reserved for calls under way."""
        return self._pot.spent

    @property
    def reached(self) -> str | None:
        """Why nothing more was asked, None while everything fitted."""
        return self._pot.reached

    @property
    def turned_away(self) -> str | None:
        """Why a call at this very price was not made, None while all were, whatever else the spending is for."""
        return self._turned_away

    def reserve(self, prompt_tokens: int, max_reply_tokens: int) -> Reserved:
        """Set a call's worst case aside.

        Raises:
            CapReached: if it does not fit; nothing is set aside then. While calls are under way, what they
                give back may make room: ask again before taking it for the end.
        """
        worst = self._of(prompt_tokens, max_reply_tokens)
        with self._pot.lock:
            after = _sum(self._pot.spent, worst)
            names = ("calls", "tokens", self._currency)
            for name, limit, amount in zip(
                names, self._limits, (after.calls, after.tokens, after.money), strict=True
            ):
                if limit is not None and amount > limit + 1e-9:
                    reached = f"cap reached: the next call could exceed {limit:g} {name}"
                    if not self._pot.under_way or self._pot.reached:
                        self._pot.reached = self._turned_away = reached
                    raise CapReached(reached)
            self._pot.spent = after
            self._pot.under_way += 1
        return Reserved(prompt_tokens, max_reply_tokens, worst)

    def settle(self, reserved: Reserved, prompt_tokens: int | None, completion_tokens: int | None) -> None:
        """Replace a reservation by what the call cost; of what is not reported, the worst case stays."""
        prompt = reserved.prompt_tokens if prompt_tokens is None else prompt_tokens
        completion = reserved.reply_tokens if completion_tokens is None else completion_tokens
        self._replace(reserved, self._of(prompt, completion))

    def release(self, reserved: Reserved) -> None:
        """Give a reservation back: the call cost nothing (refused before it was run, or never sent)."""
        self._replace(reserved, Spending())

    def _of(self, prompt_tokens: int, completion_tokens: int) -> Spending:
        return Spending(
            1, prompt_tokens + completion_tokens, self._price.of(prompt_tokens, completion_tokens)
        )

    def _replace(self, reserved: Reserved, actual: Spending) -> None:
        with self._pot.lock:
            self._pot.under_way -= 1
            self._pot.spent = _sum(self._pot.spent, actual, _negative(reserved.spending))


def _sum(*parts: Spending) -> Spending:
    return Spending(sum(p.calls for p in parts), sum(p.tokens for p in parts), sum(p.money for p in parts))


def _negative(amount: Spending) -> Spending:
    return Spending(-amount.calls, -amount.tokens, -amount.money)
