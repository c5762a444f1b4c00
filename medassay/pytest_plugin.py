"""Plugin for pytest: the fixture `medassay`, which evaluates answers and holds them against a gate.

Nothing of MedAssay is imported before a test asks for the fixture.
"""

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from medassay.data import Data
    from medassay.models.gate.record import GateRecord
    from medassay.result import Result


class Assay:
    """What a test gets as `medassay`.

    Args:
        record: pytest's `record_property`: what is measured goes into the JUnit report of the test.
    """

    def __init__(self, record: Callable[[str, object], None]) -> None:
        self._record = record

    def evaluate(self, data: "Data", **choices: Any) -> "Result":
        """Measure answers as `medassay.evaluate` does; every system's means become properties of the test."""
        with warnings.catch_warnings():
            # What libraries below us will change one day is no fault of the project whose warnings are errors.
            for kind in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning):
                warnings.simplefilter("ignore", kind)
            from medassay.evaluation import evaluate

            result = evaluate(data, **choices)
        shown = [name for name in result.systems.columns if f"{name}_reason" in result.systems.columns]
        for row in result.systems.to_dict("records"):
            for name in shown:
                if row[name] is not None and row[name] == row[name]:
                    self._record(f"{row['system']}.{name}", round(float(row[name]), 6))
        return result

    def gate(
        self,
        measured: "Result | Data",
        config: str | Path | Mapping[str, Any] = "medassay.toml",
        baseline: str | Path | None = None,
        *,
        allow_other_baseline: bool = False,
        **choices: Any,
    ) -> "GateRecord":
        """Hold a result, or data to evaluate first, against a gate, and fail the test where it is not passed.

        Args:
            measured: What `evaluate` returned, or data, which `choices` say how to evaluate.
            config: TOML file with the table `[gate]`, or what that table holds.
            baseline: File to hold the run against.
            allow_other_baseline: Compare with a baseline that was made with other options or models, too.
            choices: As of `medassay.evaluate`.

        Raises:
            GateFailed: an AssertionError with a line for each broken rule and bound.
            InsufficientEvidence: its subclass, where there is too little data to tell.
        """
        __tracebackhide__ = True
        from medassay.result import Result

        result = measured if isinstance(measured, Result) else self.evaluate(measured, **choices)
        found = result.gate(config, baseline, allow_other_baseline=allow_other_baseline)
        self._record("gate.verdict", found.verdict)
        for check in found.checks:
            self._record(f"gate.{check.name}", check.outcome)
        found.assert_passed()
        return found


@pytest.fixture
def medassay(record_property: Callable[[str, object], None]) -> Assay:
    """Measure biomedical answers in a test: `medassay.gate("answers/", "medassay.toml", "base.json")`."""
    return Assay(record_property)
