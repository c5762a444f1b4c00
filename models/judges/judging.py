"""What every judge can do, whoever answers."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self

from medassay.models.chat.cap import Cap
from medassay.models.chat.ledger import Ledger
from medassay.models.judges.judgement import JudgeInput, Judgement


class Judge(Protocol):
    """A judge is entered for the length of a batch or a stage, so that what it needs is started once."""

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What is asked: everything that can change a score."""
        ...

    @property
    def name(self) -> str:
        """How the judge is called in tables."""
        ...

    @property
    def caveat(self) -> str | None:
        """What must stand beside its numbers, None if nothing."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def judge(
        self,
        inputs: Sequence[JudgeInput],
        ledger: Ledger,
        *,
        sample_no: int = 0,
        concurrency: int = 8,
        deadline_s: float | None = None,
        cap: Cap | None = None,
        on_done: Callable[[Judgement], None] | None = None,
    ) -> list[Judgement]:
        """Judge a batch, one judgement per input and in order."""
        ...
