"""Accessibility of every page: axe-core on a home's pages and reports, on a desk, a phone and by night.

`npm install --no-save axe-core` brings axe; then `python -m benchmarks.axe HOME` lists what it finds and ends with
exit code 1 where a finding is serious or critical. Without axe, Chromium or its driver it says so and ends with 0.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

AXE = Path("node_modules/axe-core/axe.min.js")
SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
)
VIEWS = (("desk", 1280, "light"), ("phone", 390, "light"), ("night", 1280, "dark"))
KEY = "0" * 32
RUN_AXE = """
const done = arguments[arguments.length - 1];
document.querySelectorAll("main details").forEach((part) => { part.open = true; });
setTimeout(() => axe.run(document, {resultTypes: ["violations"]}).then(
    (found) => done(found.violations.map((v) => [v.impact, v.id, v.help, v.nodes.length, v.nodes[0].html])),
    (error) => done([["critical", "axe", String(error), 1, ""]])), 300);
"""


def missing() -> str:
    """Describe what is not here, empty where all is."""
    if not AXE.exists():
        return f"{AXE} is not there: npm install --no-save axe-core"
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        return "Chromium or its driver is not on this machine"
    return ""


def pages(home: Path) -> Iterator[tuple[str, str]]:
    """Yield name and path of a page of each kind."""
    from medassay.flows.serve.annotation_pages import link
    from medassay.flows.serve.case_pages import jury_path
    from medassay.tasks.browsing.runs import runs_shown
    from medassay.tasks.browsing.side_by_side import Chosen, pairs
    from medassay.tasks.judge_training.jury_votes import waiting_for_jury

    finished = [run for run in runs_shown(home) if run.state == "finished"]
    newest = finished[0]
    yield "home", ""
    yield "report", f"{newest.run_id}.html"
    yield "side by side", f"side?run={newest.run_id}&order=worst"
    found = pairs(home, newest.run_id, "", "", "", Chosen(order="worst"))
    question = f"answer?run={newest.run_id}&question={found.questions[0]['question_id']}&a={found.a.system}"
    yield "answer", question
    yield "two answers", f"{question}&b={found.b.system}"
    if newest.before:
        yield "two runs", f"side?run={newest.before}&run_b={newest.run_id}&differs=1"
        yield "what changed", f"diff?run={newest.before}&run={newest.run_id}"
    yield "questions", "ask"
    yield "a question answered", "ask?q=11_what_are_the_means"
    yield "a query refused", "ask?sql=select+nothing"
    yield "annotators", f"annotate?run={newest.run_id}&name=ada"
    yield "scoring", f"{link(KEY, 'ada')}?run={newest.run_id}"
    yield "refusal", "answer?run=none"
    for jury in waiting_for_jury(home):
        yield "jurors", f"jury?training={jury.training}&iteration={jury.iteration}&name=ada"
        yield "jury", f"{link(KEY, 'ada')}{jury_path(jury.training, jury.iteration)}"


def browser(profile: str) -> Any:
    """Start Chromium."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for switch in (*SWITCHES, f"--user-data-dir={profile}"):
        options.add_argument(switch)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def main(home: Path) -> int:
    """Visit every page in every view, print the findings, and return the exit code."""
    from medassay.flows.serve.hosts import hosts_of
    from medassay.flows.serve.reports_server import serving_reports

    axe = AXE.read_text("utf-8")
    serious = 0
    with (
        tempfile.TemporaryDirectory() as profile,
        serving_reports("127.0.0.1", 0, home, KEY, hosts_of("127.0.0.1")) as port,
    ):
        driver = browser(profile)
        try:
            for name, path in pages(home):
                for view, width, scheme in VIEWS:
                    driver.execute_cdp_cmd(
                        "Emulation.setDeviceMetricsOverride",
                        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600},
                    )
                    media = [{"name": "prefers-color-scheme", "value": scheme}]
                    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
                    driver.get(f"http://127.0.0.1:{port}/{KEY}/{path}")
                    driver.execute_script(axe)
                    found = driver.execute_async_script(RUN_AXE)
                    grave = [one for one in found if one[0] in ("serious", "critical")]
                    serious += len(grave)
                    print(f"{name}, {view}: {len(found)} findings, {len(grave)} serious")
                    for impact, rule, what, count, where in found:
                        print(f"  {impact} {rule}: {what} ({count}) {' '.join(where.split())[:160]}")
        finally:
            driver.quit()
    return int(serious > 0)


if __name__ == "__main__":
    if said := missing():
        print(f"skipped: {said}")
        sys.exit(0)
    if len(sys.argv) < 2 and not os.environ.get("MEDASSAY_HOME"):
        sys.exit("name a home: python -m benchmarks.axe HOME")
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else os.environ["MEDASSAY_HOME"])))
