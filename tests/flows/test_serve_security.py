"""`medassay serve` as it runs: strangers are refused, the person who has the link works in the browser."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from medassay.flows.serve.access import TOKEN_FILE, authorization
from medassay.models.weights import cache_folder
from tests.waits import until

pytestmark = [pytest.mark.prefect, pytest.mark.browser]
ROOT = Path(__file__).resolve().parents[2]
SMALL = "all-MiniLM-L6-v2"
SWITCHES = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --window-size=1400,1000"
).split()
BROWSERS_OWN = (".google.com", ".googleapis.com", "start.duckduckgo.com")
"""Whom Chromium itself calls, whatever page is open; the last is the home page that Debian gives it."""


@dataclass(frozen=True)
class Served:
    url: str
    link: str
    reports: str
    token: str
    home: Path
    inbox: Path

    def ask(self, path: str, body: Any, method: str = "POST", **headers: str) -> httpx.Response:
        let_in = {"authorization": authorization(self.token)}
        with httpx.Client(trust_env=False, timeout=60) as client:
            return client.request(method, f"{self.url}/api/{path}", json=body, headers={**let_in, **headers})


def two_free_ports() -> int:
    while True:
        with socket.socket() as one, socket.socket() as next_one:
            one.bind(("127.0.0.1", 0))
            port = int(one.getsockname()[1])
            try:
                next_one.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    home, said, port = folder / "home", folder / "said", two_free_ports()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    # A run of the form needs one small model, whatever else lies on this machine.
    (folder / "models").mkdir()
    (folder / "models" / SMALL).symlink_to(cache_folder() / SMALL)
    environment |= {
        "MEDASSAY_HOME": str(home), "PREFECT_HOME": str(folder / "prefect"),
        "MEDASSAY_MODELS": str(folder / "models"), "MEDASSAY_READER": "none",
        # Prefect's worker and scheduler look after seconds, not after 10 and 60.
        "PREFECT_WORKER_QUERY_SECONDS": "2", "PREFECT_SERVER_SERVICES_SCHEDULER_LOOP_SECONDS": "5",
        "PREFECT_SERVER_SERVICES_SCHEDULER_RECENT_DEPLOYMENTS_LOOP_SECONDS": "2",
    }  # fmt: skip
    with said.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "medassay.flows.cli", "serve", "--port", str(port), "--inbox", str(folder / "in")],
            stdout=out, stderr=subprocess.STDOUT, env=environment, cwd=ROOT,
        )  # fmt: skip
    try:
        until(lambda: process.poll() is not None or "Ctrl-C" in said.read_text())
        assert process.poll() is None, said.read_text()
        lines = dict(line.split(": ", 1) for line in said.read_text().splitlines() if ": " in line)
        token = (home / TOKEN_FILE).read_text().strip()
        yield Served(f"http://127.0.0.1:{port}", lines["ready"], lines["runs"], token, home, folder / "in")
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


@pytest.fixture(scope="module")
def evaluate(served: Served) -> dict[str, Any]:
    """Return the deployment evaluate/evaluate-answers."""
    found: list[dict[str, Any]] = served.ask("deployments/filter", {}).json()
    deployment = next(one for one in found if one["entrypoint"] == "flows/evaluate.py:evaluate")
    quick = {"parameters": {**deployment["parameters"], "data": "examples/clinic", "judge": "none"}}
    assert served.ask(f"deployments/{deployment['id']}", quick, "PATCH").status_code == 204
    return deployment


def test_a_caller_needs_the_token_a_known_host_and_no_foreign_origin(served: Served) -> None:
    asked = [
        served.ask("deployments/filter", {}, authorization=""),
        served.ask("deployments/filter", {}, host="evil.example"),
        served.ask("deployments/filter", {}, origin="http://evil.example"),
        served.ask("deployments/filter", {}, origin="null"),
        served.ask("deployments/filter", {}),
    ]
    assert [one.status_code for one in asked] == [401, 421, 403, 403, 200]
    assert not any("access-control-allow-origin" in one.headers for one in asked)


def test_a_run_names_no_command_of_its_own(served: Served, evaluate: dict[str, Any], tmp_path: Path) -> None:
    given = {"command": f"touch {tmp_path / 'ran'}", "env": {"A": "b"}, "working_dir": str(tmp_path)}
    for name, value in given.items():
        wanted = {"job_variables": {name: value}}
        refused = served.ask(f"deployments/{evaluate['id']}/create_flow_run", wanted)
        assert (refused.status_code, "Additional properties" in refused.text) == (422, True), name


def test_a_websocket_is_let_in_by_the_token_alone(served: Served) -> None:
    from websockets.exceptions import ConnectionClosed, InvalidStatus
    from websockets.sync.client import connect

    address = served.url.replace("http", "ws") + "/api/events/out"

    def said(token: str | None, **chosen: Any) -> Any:
        with connect(address, subprotocols=["prefect"], proxy=None, **chosen) as socket:  # type: ignore[list-item]
            socket.send(json.dumps({"type": "auth", "token": token}))
            return json.loads(socket.recv(30))["type"]

    assert said(served.token) == "auth_success"
    for wrong in (None, "medassay:guessed"):
        with pytest.raises(ConnectionClosed):
            said(wrong)
    with pytest.raises(InvalidStatus):
        said(served.token, origin="http://evil.example")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are read from /proc")
def test_no_process_shows_the_token_on_its_command_line(served: Served) -> None:
    shown = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            shown.append(path.read_bytes())
        except OSError:  # it has ended meanwhile
            continue
    assert sum(b"medassay.flows.serve.server" in line for line in shown) >= 1
    assert not any(served.token.partition(":")[2].encode() in line for line in shown)


@dataclass
class Browser:
    driver: Any
    proxied: list[str]

    def foreign(self) -> list[str]:
        """Return what left the browser for other machines since the last call, by the proxy it has to use."""
        found = [host for host in self.proxied if not host.endswith(BROWSERS_OWN)]
        self.proxied.clear()
        return found

    def text(self) -> str:
        return str(self.driver.execute_script("return document.body.innerText"))

    def click(self, label: str) -> None:
        until(lambda: self.driver.execute_script(CLICK, label))


CLICK = """
const found = [...document.querySelectorAll("button, a, label")].filter(
    one => one.innerText.trim() === arguments[0] && one.offsetParent && !one.disabled);
if (found.length) found[found.length - 1].click();
return found.length > 0;
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium, driver_path = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver_path is None:
        pytest.skip("Chromium or its driver is not on this machine")
    proxied: list[str] = []

    class Proxy(BaseHTTPRequestHandler):
        def refuse(self) -> None:
            proxied.append(self.headers.get("Host", self.path).split(":")[0])
            self.send_error(502)

        do_GET = do_POST = do_CONNECT = refuse

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        threading.Thread(target=proxy.serve_forever, args=(0.1,), daemon=True).start()
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        profile = tmp_path_factory.mktemp("profile")
        for switch in (
            *SWITCHES,
            f"--user-data-dir={profile}",
            f"--proxy-server=127.0.0.1:{proxy.server_address[1]}",
        ):
            options.add_argument(switch)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver_path))
        yield Browser(driver, proxied)
        driver.quit()
        proxy.shutdown()


@pytest.fixture
def shots() -> Path | None:
    """Return where screenshots go, for whoever wants to see them: MEDASSAY_TEST_SHOTS."""
    return Path(where) if (where := os.environ.get("MEDASSAY_TEST_SHOTS")) else None


def foreign_page(script: str) -> str:
    return f"data:text/html,<script>{script}</script>"


def test_a_page_of_another_site_starts_nothing(
    served: Served, evaluate: dict[str, Any], browser: Browser
) -> None:
    attack = (
        "window.said = 'waiting';"
        f"fetch('{served.url}/api/deployments/{evaluate['id']}/create_flow_run',"
        "{method: 'POST', headers: {'content-type': 'application/json'}, body: '{}'})"
        ".then(r => window.said = 'answered', e => window.said = 'refused')"
    )
    n_before = served.ask("flow_runs/count", {}).json()
    browser.driver.get(foreign_page(attack))
    said = until(lambda: (now := browser.driver.execute_script("return window.said")) != "waiting" and now)
    assert said == "refused"
    assert served.ask("flow_runs/count", {}).json() == n_before


def test_pages_ask_no_other_machine(served: Served, browser: Browser) -> None:
    browser.driver.get(foreign_page("fetch('http://counted.example/')"))
    until(lambda: "counted.example" in browser.proxied)  # the count works
    browser.foreign()
    browser.driver.get(served.link)
    until(lambda: "weekly" in browser.text())
    for path in ("/", "/v2/deployments", "/v2/runs", "/runs", "/work-pools", "/settings", "/docs", "/enter"):
        browser.driver.get(f"{served.url}{path}")
        time.sleep(0.1)
        until(lambda: browser.driver.execute_script("return document.readyState") == "complete")
    browser.driver.get(f"{served.url}/v2/dashboard")
    until(lambda: "Dashboard" in browser.text())
    browser.driver.get(served.reports)
    until(lambda: "Runs" in browser.text())
    assert browser.foreign() == []


def test_the_link_lets_a_person_in_and_a_run_is_started_by_the_form(
    served: Served, evaluate: dict[str, Any], browser: Browser, shots: Path | None
) -> None:
    if not (cache_folder() / SMALL).exists():
        pytest.skip(f"pull it first: medassay models pull {SMALL}")

    def shot(name: str) -> None:
        if shots:
            browser.driver.save_screenshot(str(shots / f"{name}.png"))

    browser.driver.get(served.link)
    until(lambda: "nightly" in browser.text())
    assert served.token not in browser.driver.current_url
    shot("1-deployments")
    browser.driver.get(f"{served.url}/deployments/deployment/{evaluate['id']}/run")
    until(lambda: "judge (Optional)" in browser.text())
    shot("2-form")
    browser.click("Submit")
    (run,) = until(lambda: served.ask("flow_runs/filter", {}).json())
    ended = until(lambda: finished(served, run["id"]))
    assert ended["state_name"] == "Completed", ended["state"]["message"]
    browser.driver.get_log("browser")  # of the pages before
    browser.driver.get(f"{served.url}/runs/flow-run/{run['id']}")
    until(lambda: "Completed" in browser.text() and ended["name"] in browser.text())
    until(lambda: browser.driver.execute_script("return document.querySelector('canvas') !== null"))
    shot("3-run")
    said = [one["message"] for one in browser.driver.get_log("browser")]
    assert [one for one in said if "Uncaught" in one] == []
    (report,) = (served.home / "reports").glob("*.html")
    assert ended["name"] == report.stem
    browser.driver.get(f"{served.reports}{report.name}")
    until(lambda: "Leaderboard" in browser.text())
    shot("4-report")
    assert browser.foreign() == []


def finished(served: Served, run_id: str) -> dict[str, Any] | None:
    (run,) = served.ask("flow_runs/filter", {"flow_runs": {"id": {"any_": [run_id]}}}).json()
    found: dict[str, Any] = run
    return found if found["state_type"] in {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"} else None


@pytest.mark.slow
def test_a_schedule_makes_runs_that_the_worker_takes(served: Served, evaluate: dict[str, Any]) -> None:
    schedules = f"deployments/{evaluate['id']}/schedules"
    made = served.ask(schedules, [{"schedule": {"interval": 20}, "active": True}])
    assert made.status_code == 201, made.text
    wanted = {"flow_runs": {"tags": {"all_": ["auto-scheduled"]}}}

    def taken() -> list[Any]:
        runs = served.ask("flow_runs/filter", wanted).json()
        return [run for run in runs if run["state_type"] in {"RUNNING", "COMPLETED"}]

    try:
        assert until(taken)[0]["deployment_id"] == evaluate["id"]
    finally:  # else a busy machine would get more of them than it can run
        served.ask(f"{schedules}/{made.json()[0]['id']}", None, "DELETE")


@pytest.mark.slow
def test_a_file_in_the_inbox_becomes_a_run_with_its_results_beside_it(
    served: Served, evaluate: dict[str, Any]
) -> None:
    row = {
        "question_id": "q1",
        "question": "Why?",
        "system": "a",
        "answer": "Rest helps.",
        "nuggets": ["Rest helps."],
    }
    (served.inbox / "good.jsonl").write_text(json.dumps(row))
    (served.inbox / "bad.csv").write_text("x,y\n1,2\n")
    until((served.inbox / "bad.csv.refused.txt").exists)
    until((served.inbox / "good.jsonl.results").exists)
    assert "bad.csv" in (served.inbox / "bad.csv.refused.txt").read_text()
    (scores,) = json.loads((served.inbox / "good.jsonl.results" / "leaderboard.json").read_text())
    assert (scores["system"], scores["nugget_coverage"]) == ("a", 1.0)
    runs = served.ask("flow_runs/filter", {"flow_runs": {"tags": {"all_": ["inbox"]}}}).json()
    assert sorted(run["state_type"] for run in runs) == ["COMPLETED", "FAILED"]
    assert {run["deployment_id"] for run in runs} == {evaluate["id"]}
