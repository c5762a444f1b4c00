"""Prompts packed for one forward pass: a passage once, its statements behind it, each blind to the others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Ids = Sequence[int]


@dataclass(frozen=True, slots=True)
class Group:
    """The tokens of one passage, and of the statements that are read against it (each with the question behind it)."""

    passage: Ids
    statements: tuple[Ids, ...]

    @property
    def n_tokens(self) -> int:
        """Tokens that are multiplied."""
        return len(self.passage) + sum(map(len, self.statements))


def packed(groups: Sequence[Group], budget: int) -> Iterator[list[tuple[int, Group]]]:
    """Pack groups, by their place in the list, into rows of at most `budget` tokens, longest first.

    A group that is longer is cut between statements, its passage repeated; one statement may still exceed the budget.
    """
    pieces = [
        (place, piece) for place, group in enumerate(groups) for piece in _within(group, max(budget, 1))
    ]
    pieces.sort(key=lambda piece: -piece[1].n_tokens)
    row: list[tuple[int, Group]] = []
    held = 0
    for place, piece in pieces:
        if row and held + piece.n_tokens > budget:
            yield row
            row, held = [], 0
        row.append((place, piece))
        held += piece.n_tokens
    if row:
        yield row


def _within(group: Group, budget: int) -> Iterator[Group]:
    taken: list[Ids] = []
    room = budget - len(group.passage)
    for statement in group.statements:
        if taken and len(statement) > room:
            yield Group(group.passage, tuple(taken))
            taken, room = [], budget - len(group.passage)
        taken.append(statement)
        room -= len(statement)
    if taken:
        yield Group(group.passage, tuple(taken))
