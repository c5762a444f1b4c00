"""Providers whose API is not OpenAI's: each turns a chat completion's request into its own, and its reply into one."""

from medassay.models.chat.providers.anthropic import Anthropic
from medassay.models.chat.providers.gemini import Gemini
from medassay.models.chat.providers.provider import Body, NativeRequest, Provider

PROVIDERS: dict[str, Provider] = {provider.name: provider for provider in (Anthropic(), Gemini())}
"""By the word that names a model of theirs, as in `anthropic:<model>`."""

__all__ = ["PROVIDERS", "Body", "NativeRequest", "Provider"]
