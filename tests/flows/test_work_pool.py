"""`--entail-on gpu` before anything is sent: who would read, and what to do where nobody would; and the worker's flow."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medassay.models.entailment.shard_files import ShardPair, ShardRefused, Storage
from medassay.models.entailment.shards import write_request
from medassay.models.keys import text_key

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("prefect_server")]
Tables = dict[str, list[dict[str, Any]]]
Write = Callable[[Tables], Path]


def test_without_a_pool_or_worker_nothing_is_read_and_the_way_out_is_named(
    home: Path, tables: Tables, write: Write
) -> None:
    from prefect.client.orchestration import get_client

    from medassay.flows.evaluate import evaluate
    from medassay.tasks.citations.pool_server import PoolUnavailable

    chosen = {"data": str(write(tables)), "home": str(home), "judge": "none", "entail_on": "gpu"}
    with pytest.raises(
        PoolUnavailable, match=r"no deployment entail/gpu or no work pool `gpu`.*--entail-on here$"
    ):
        evaluate(**chosen)
    with get_client(sync_client=True) as client:
        from medassay.flows.entail import entail

        client.create_work_pool(_pool())
        client.create_deployment(client.create_flow(entail), "gpu", work_pool_name="gpu")
    with pytest.raises(
        PoolUnavailable, match=r"^no worker is on the work pool `gpu`: .* or run with --entail-on here$"
    ):
        evaluate(**chosen)
    assert not (home / "shards").exists()


def test_without_a_server_of_its_own_address_nobody_could_hear(monkeypatch: pytest.MonkeyPatch) -> None:
    from prefect.settings import PREFECT_API_URL, temporary_settings

    from medassay.tasks.citations.pool_server import PoolUnavailable, check_pool

    with (
        temporary_settings(restore_defaults={PREFECT_API_URL}),
        pytest.raises(
            PoolUnavailable, match=r"^PREFECT_API_URL is not set, .* or run with --entail-on here$"
        ),
    ):
        check_pool()


def _pool() -> Any:
    from prefect.client.schemas.actions import WorkPoolCreate

    return WorkPoolCreate(name="gpu", type="process")


def test_a_worker_refuses_a_shard_for_other_weights(tmp_path: Path) -> None:
    from medassay.flows.entail import entail
    from medassay.models.entailment import describe_entailment

    storage = Storage(str(tmp_path))
    here = describe_entailment("embedded", on_gpu=True)
    said = "Metformin lowers glucose."
    pairs = [ShardPair(text_key(said) * 2, said, said)]
    shard = write_request(storage, "embedded", {**here, "weights_sha256": "another"}, pairs)
    with pytest.raises(ShardRefused, match=r"'embedded' under another fingerprint \(weights_sha256 differ\)"):
        entail(shard=shard, storage=str(tmp_path))
    assert json.loads(storage.read(shard, "manifest.json") or b"{}")["n_pairs"] == 1
    assert not storage.has(shard, "verdicts.json")
