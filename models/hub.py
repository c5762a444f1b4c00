"""The Hugging Face hub, asked once and briefly before anything is downloaded from it."""

import os

_TIMEOUT_S = 10.0


def why_not(repository: str) -> str | None:
    """Say why the hub does not serve a repository, in one line; None where it does.

    Where there is no network, the hub's own client tries every file six times over, which takes most of a minute.
    """
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    try:
        HfApi().model_info(repository, timeout=_TIMEOUT_S)
    except HfHubHTTPError as error:
        return f"the hub says {error.response.status_code}"
    except Exception as error:  # the hub's client has two dozen errors, and its HTTP library's beside them
        return f"the hub could not be asked: {(str(error) or type(error).__name__).splitlines()[0]}"
    return None
