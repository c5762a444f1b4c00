"""How long the marts, the comparisons and the snapshot of a large run take, and how much memory.

    python -m benchmarks.marts_at_scale [QUESTIONS SYSTEMS] …

500, 1,500 and 5,000 questions × 20 systems unless given. The rows are written by one process and timed in another,
so that the peak is the work's own.

Measured on two cores, nearly idle: 100,000 answers of 20 systems take 42 s (67 s of processor time) and 7 s for the
snapshot, at a peak of 597 MB: `aggregate` holds DuckDB to 448 MB and `publish` to 256 MB, and what does not fit is
written to the disk. 10,000 answers peaked at 515 MB and 30,000 at 573 MB with a larger share for `publish`, so ten
times the rows take about a sixth more. Where DuckDB may have what it asks for it is faster, 28 s and 4 s, at 1.7 GB.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.generated_run import Size, generate
from medassay.sql.snapshot import publish
from medassay.sql.warehouse import Warehouse, close_warehouse, warehouse_at
from medassay.tasks import aggregate as aggregating
from medassay.tasks.run import RunRef

SIZES = ((500, 20), (1500, 20), (5000, 20))
RUN = "20260101T000000-000001"


def main(arguments: list[str]) -> int:
    """Time each size in its own process."""
    given = [int(word) for word in arguments if word.isdigit()]
    sizes = list(zip(given[::2], given[1::2], strict=True)) or SIZES
    steps = {"--write": written, "--time": timed}
    for step, work in steps.items():
        if step in arguments:
            return work(Path(arguments[-1]), Size(*sizes[0]))
    for questions, systems in sizes:
        with tempfile.TemporaryDirectory() as folder:
            for step in steps:
                words = [step, str(questions), str(systems), folder]
                subprocess.run([sys.executable, "-m", "benchmarks.marts_at_scale", *words], check=True)
    return 0


def written(home: Path, size: Size) -> int:
    """Write the rows."""
    began = time.perf_counter()
    generate(warehouse_at(home), str(home), RUN, size)
    close_warehouse(home)
    seconds = time.perf_counter() - began
    print(f"{size.answers:,} answers of {size.systems} systems, written in {seconds:.1f} s", flush=True)
    return 0


def timed(home: Path, size: Size) -> int:
    """Aggregate and publish the run; print the seconds of each part."""
    before = peak()
    run = RunRef(str(home), RUN)
    parts: dict[str, tuple[float, float]] = {}
    watch(run.warehouse, parts)
    began, busy = time.perf_counter(), time.process_time()
    counts = aggregating.aggregate(run)
    whole, busy = time.perf_counter() - began, time.process_time() - busy
    for name, (seconds, memory) in sorted(parts.items(), key=lambda part: -part[1][0])[:8]:
        print(f"  {seconds:6.2f} s  {name} (peak so far {memory:,.0f} MB)")
    rows = ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
    print(f"  {whole:6.2f} s  all marts and comparisons, {busy:.1f} s of processor time ({rows})")
    began = time.perf_counter()
    publish(run.warehouse, home, RUN)
    print(
        f"  {time.perf_counter() - began:6.2f} s  snapshot; peak memory {peak():,.0f} MB ({before:,.0f} at the start)"
    )
    close_warehouse(home)
    return 0


def watch(warehouse: Warehouse, parts: dict[str, tuple[float, float]]) -> None:
    """Have each mart's statement and each freezing function note its seconds and the peak after it."""
    execute = warehouse.execute

    def noted(query: str, parameters: object = None) -> None:
        began = time.perf_counter()
        execute(query, parameters)  # type: ignore[arg-type]  # passed through as it came
        if query.startswith("insert into mart."):
            parts[query.split()[2]] = time.perf_counter() - began, peak()

    warehouse.execute = noted  # type: ignore[method-assign]
    for name in ("freeze_system_scores", "freeze_comparisons", "freeze_agreement"):
        setattr(aggregating, name, counted(name, getattr(aggregating, name), parts))


def counted(name: str, work: Callable[..., int], parts: dict[str, tuple[float, float]]) -> Callable[..., int]:
    """Return the function, with a watch."""

    def noted(*arguments: object) -> int:
        began = time.perf_counter()
        count = work(*arguments)
        parts[name] = time.perf_counter() - began, peak()
        return count

    return noted


def peak() -> float:
    """Return this process's peak memory in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
