"""How large the report of 1,000 answers is, how long it takes to write, and how long to open.

    python -m benchmarks.report_size [QUESTIONS SYSTEMS]

200 questions × 5 systems unless given. Opened in headless Chromium where that and its driver are there: from the
start of the navigation until the list of questions stands, the middle of five times.

Measured on two busy cores: 1,000 answers of 5 systems 4.93 MB, 2.7 s of processor time to write, opened in 0.3 s; of 20
systems 4.90 MB, opened in 0.5 s.
"""

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.generated_run import Size, generate
from medassay.sql.snapshot import publish
from medassay.sql.warehouse import close_warehouse, warehouse_at
from medassay.tasks.aggregate import aggregate
from medassay.tasks.publish import write_report

RUN = "20260101T000000-000001"
SWITCHES = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
STOOD = (
    "const [t] = performance.getEntriesByType('navigation');"
    "return [t.loadEventEnd, document.querySelectorAll('.q').length]"
)


def main(arguments: list[str]) -> int:
    """Write a report of that size and open it."""
    size = Size(*(int(word) for word in arguments)) if arguments else Size(200, 5)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        run = generate(warehouse_at(home), folder, RUN, size)
        aggregate(run)
        publish(run.warehouse, home, RUN)
        began, busy = time.perf_counter(), time.process_time()
        path = write_report(home, RUN)
        seconds, busy = time.perf_counter() - began, time.process_time() - busy
        print(
            f"{size.answers:,} answers of {size.systems} systems: {path.stat().st_size / 1e6:.2f} MB,"
            f" written in {seconds:.1f} s, {busy:.1f} s of processor time"
        )
        if opened := opening(path):
            print(f"  opened in {opened[0]:.2f} s, {opened[1]} questions listed at once")
        close_warehouse(home)
    return 0


def opening(path: Path) -> tuple[float, int] | None:
    """Return the middle of five openings in seconds, and how many questions stood in the list."""
    chromium, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        print("  no Chromium here: not opened")
        return None
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    with tempfile.TemporaryDirectory() as profile:
        for switch in (*SWITCHES, f"--user-data-dir={profile}"):
            options.add_argument(switch)
        browser: Any = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        times, listed = [], 0
        for _ in range(5):
            browser.get("about:blank")
            browser.get(path.as_uri())
            took = 0
            while not took:
                took, listed = browser.execute_script(STOOD)
            times.append(took / 1000)
        browser.quit()
    return statistics.median(times), int(listed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
