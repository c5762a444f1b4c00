"""Which of two evaluations stands left: by a seed, balanced, and told only by the key."""

import random
import secrets
from collections.abc import Sequence

from medassay.models.keys import content_key


def new_nonce() -> str:
    """Return what makes the names of items unguessable: it is kept with the key."""
    return secrets.token_hex(16)


def blind_item(nonce: str, question_id: str, system: str) -> str:
    """Name a case so that nobody without the key can tell which it is; a letter first, so that it is no number."""
    return "b" + content_key([nonce, question_id, system])[:12]


def lefts(n: int, seed: int) -> list[bool]:
    """Say of each of n cases whether the first evaluation stands left: half of them, in an order drawn by the seed."""
    sides = [place % 2 == 0 for place in range(n)]
    random.Random(seed).shuffle(sides)
    return sides


def shuffled(items: Sequence[str], seed: int) -> list[str]:
    """Return items in an order that says nothing of where they came from."""
    order = sorted(items)
    random.Random(seed).shuffle(order)
    return order
