"""How long the marts, the comparisons and the snapshot of a large run take, and how much memory.

    python -m benchmarks.marts_at_scale [QUESTIONS SYSTEMS] …

5,000 questions × 20 systems unless given. Each size runs in a process of its own, so that its peak is its own; the
generated rows themselves are not counted. `explain` as the first word prints the slowest statements' plans too.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.generated_run import Size, generate
from sql.snapshot import publish
from sql.warehouse import Warehouse, close_warehouse, warehouse_at
from tasks import aggregate as aggregating

SIZES = ((500, 20), (5000, 20))


def main(arguments: list[str]) -> int:
    """Time each size in its own process."""
    given = [int(word) for word in arguments if word.isdigit()]
    sizes = list(zip(given[::2], given[1::2], strict=True)) or SIZES
    if "--here" in arguments:
        return timed(Size(*sizes[0]))
    for questions, systems in sizes:
        subprocess.run(
            [sys.executable, "-m", "benchmarks.marts_at_scale", "--here", str(questions), str(systems)],
            check=True,
        )
    return 0


def timed(size: Size) -> int:
    """Generate a run, aggregate and publish it; print the seconds of each part."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        began = time.perf_counter()
        run = generate(warehouse_at(home), folder, "20260101T000000-000001", size)
        close_warehouse(home)
        warehouse = warehouse_at(home)
        print(
            f"{size.answers:,} answers of {size.systems} systems; generated in {time.perf_counter() - began:.1f} s"
        )
        before = peak()
        parts: dict[str, float] = {}
        watch(warehouse, parts)
        began = time.perf_counter()
        counts = aggregating.aggregate(run)
        whole = time.perf_counter() - began
        for name, seconds in sorted(parts.items(), key=lambda part: -part[1])[:14]:
            print(f"  {seconds:6.2f} s  {name}")
        rows = ", ".join(f"{name} {count:,}" for name, count in counts.items())
        print(f"  {whole:6.2f} s  all marts and comparisons ({rows})")
        began = time.perf_counter()
        publish(run.warehouse, home, run.run_id)
        print(
            f"  {time.perf_counter() - began:6.2f} s  snapshot; peak memory {peak():,.0f} MB ({before:,.0f} before)"
        )
        close_warehouse(home)
    return 0


def watch(warehouse: Warehouse, parts: dict[str, float]) -> None:
    """Have each mart's statement and each freezing function note its seconds."""
    execute = warehouse.execute

    def noted(query: str, parameters: object = None) -> None:
        began = time.perf_counter()
        execute(query, parameters)  # type: ignore[arg-type]  # passed through as it came
        if query.startswith("insert into mart."):
            parts[query.split()[2]] = time.perf_counter() - began

    warehouse.execute = noted  # type: ignore[method-assign]
    for name in ("freeze_system_scores", "freeze_comparisons", "freeze_agreement"):
        setattr(aggregating, name, counted(name, getattr(aggregating, name), parts))


def counted(name: str, work: Callable[..., int], parts: dict[str, float]) -> Callable[..., int]:
    """Return the function, with a watch."""

    def noted(*arguments: object) -> int:
        began = time.perf_counter()
        count = work(*arguments)
        parts[name] = time.perf_counter() - began
        return count

    return noted


def peak() -> float:
    """Return this process's peak memory in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
