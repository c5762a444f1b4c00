"""Compose file and Kubernetes manifests: what they start is there, and no secret stands in them."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from medassay.flows.cli import main

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "deployments"
MANIFESTS = sorted((FOLDER / "kubernetes").glob("*.yaml"))
SECRET = re.compile(r"PASSWORD|AUTH_STRING|TOKEN|API_KEY")


def documents(path: Path) -> list[dict[str, Any]]:
    return [one for one in yaml.safe_load_all(path.read_text("utf-8")) if one]


def containers(value: Any) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield every container with the pod that it is in."""
    if isinstance(value, dict):
        for container in value.get("containers", []):
            yield container, value
        for part in value.values():
            yield from containers(part)
    elif isinstance(value, list):
        for part in value:
            yield from containers(part)


def started() -> dict[str, list[str]]:
    """Return the commands that the manifests and the compose file start, by their places."""
    compose = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))["services"]
    found = {
        f"compose {name}": re.split(r"\s+", service["command"][0].rpartition("exec ")[2])
        for name, service in compose.items()
        if "command" in service
    }
    for path in MANIFESTS:
        for container, _ in containers(documents(path)):
            if "args" in container or "command" in container:
                found[f"{path.name} {container['name']}"] = [
                    *container.get("command", ["medassay"]),
                    *container.get("args", []),
                ]
    return found


@pytest.mark.parametrize(("place", "command"), sorted(started().items()))
def test_what_is_started_takes_its_options(place: str, command: list[str]) -> None:
    program, name, *arguments = command
    if program == "prefect":
        pools = {one["work_pool"]["name"] for one in documents(FOLDER / "gpu.yaml")[0]["deployments"]}
        assert (name, arguments[:2], arguments[2] in pools) == ("worker", ["start", "--pool"], True)
        return
    assert (program, name) == ("medassay", "serve")
    found = main.get_command(None, name)  # type: ignore[arg-type]  # it needs none
    assert found is not None
    found.make_context(name, list(arguments), resilient_parsing=False)


def test_no_secret_stands_in_them_and_each_is_made_as_the_docs_say() -> None:
    made = (ROOT / "docs" / "operations.md").read_text("utf-8")
    for path in MANIFESTS:
        for container, _ in containers(documents(path)):
            for variable in container.get("env", []):
                if SECRET.search(variable["name"]):
                    named = variable["valueFrom"]["secretKeyRef"]
                    assert f"create secret generic {named['name']}" in made
                    assert f"--from-literal={named['key']}=" in made
    compose = yaml.safe_load((FOLDER / "compose.yaml").read_text("utf-8"))
    for service in compose["services"].values():
        assert [
            name
            for name in service.get("environment", {})
            if SECRET.search(name) and not name.endswith("_FILE")
        ] == []
        assert set(service.get("secrets", [])) <= set(compose["secrets"])
    for secret in compose["secrets"].values():
        assert secret["file"].removeprefix("./") in made


def test_volumes_ports_and_images_are_those_that_are_there() -> None:
    claims, mounted, listed = (
        set(),
        set(),
        set(documents(FOLDER / "kubernetes" / "kustomization.yaml")[0]["resources"]),
    )
    for path in MANIFESTS:
        if path.name == "kustomization.yaml":
            continue
        listed.discard(path.name)
        claims |= {
            one["metadata"]["name"] for one in documents(path) if one["kind"] == "PersistentVolumeClaim"
        }
        for container, pod in containers(documents(path)):
            volumes = {one["name"] for one in pod.get("volumes", [])}
            mounted |= {one["persistentVolumeClaim"]["claimName"] for one in pod.get("volumes", [])}
            own = {one["name"] for one in container.get("volumeMounts", [])}
            assert own <= volumes | {"data"}
    assert (listed, mounted) == (set(), claims)


@pytest.mark.skipif(not shutil.which("docker-compose"), reason="docker-compose is not installed")
@pytest.mark.parametrize("profile", [(), ("--profile", "gpu")])
def test_docker_compose_reads_its_file(tmp_path: Path, profile: tuple[str, ...]) -> None:
    (tmp_path / "secrets").mkdir()
    for name in ("database_password", "server_token"):
        (tmp_path / "secrets" / name).write_text("x")
    shutil.copy(FOLDER / "compose.yaml", tmp_path)
    done = subprocess.run(
        ["docker-compose", *profile, "-f", "compose.yaml", "--project-directory", ".", "config", "-q"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_kubernetes_schemas_take_the_manifests(path: Path) -> None:
    validate = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate is not installed")
    for document in documents(path):
        if "k8s.io" not in document["apiVersion"] and "ray.io" not in document["apiVersion"]:
            validate.validate(document, "1.37", strict=True)
