"""Program code between fences: it asserts nothing. Prose, a table or a formula between fences is read."""

import re

_FENCED = re.compile(
    r"(?m)^[ \t>]*(?P<fence>```+|~~~+)[ \t]*(?P<language>[\w+#.-]*)[^\n`]*\n(?P<body>.*?)^[ \t>]*(?P=fence)[ \t]*$",
    re.DOTALL,
)
_LANGUAGES = frozenset(
    "python py python3 r bash sh shell zsh console sql js javascript ts typescript java c cpp c++ c# cs go rust ruby "
    "matlab julia stata sas perl php css mermaid dockerfile powershell".split()
)
_OF_CODE = re.compile(
    r"^[ \t]*(?:def \w+\(|class \w+[:(]|import \w+|from [\w.]+ import |print\(|return\b|for \w+ in .*:$|if .*:$"
    r"|library\(|(?:const|let|var) \w+ =|#include|function\b.*[({]|SELECT .* FROM "
    r"|\w+ <- |[\w.]+\([^()]*\);?$|[{}]+;?$|//)",
    re.MULTILINE,
)
_FEWEST = 2


def without_programs(text: str) -> str:
    """Blank out the program code between fences; the text keeps its length and its lines."""
    return _FENCED.sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    named = found["language"].casefold()
    if named not in _LANGUAGES and (named or len(_OF_CODE.findall(found["body"])) < _FEWEST):
        return found[0]
    return re.sub(r"[^\r\n]", " ", found[0])
