"""Prefect automation that calls a webhook for every comparison with a regression."""

import asyncio
import sys
from pathlib import Path
from typing import Any

AUTOMATIONS = Path(__file__).resolve().parents[2] / "deployments" / "automations.yaml"
BLOCK = "medassay-alert"


async def register(url: str) -> list[str]:
    """Save the webhook and make, or renew, the automations that call it; return their names.

    Args:
        url: where to post `{title, text, url}`; kept by the server as a secret.
    """
    import yaml
    from prefect.automations import Automation
    from prefect.blocks.webhook import Webhook
    from prefect.client.orchestration import get_client
    from pydantic import SecretStr

    block = Webhook(method="POST", url=SecretStr(url))
    identity = await block.save(BLOCK, overwrite=True)
    wanted: list[dict[str, Any]] = yaml.safe_load(
        AUTOMATIONS.read_text("utf-8").replace("$BLOCK_ID", str(identity))
    )["automations"]
    async with get_client() as client:
        for automation in wanted:
            for old in await client.read_automations_by_name(automation["name"]):
                await client.delete_automation(old.id)
            await Automation(**automation).acreate()
    return [str(automation["name"]) for automation in wanted]


if __name__ == "__main__":
    asyncio.run(register(sys.stdin.read().strip()))
