import pytest

from medassay.models import processor


@pytest.mark.parametrize(
    ("limit", "may"), [("AVX2", False), ("avx512_core", False), ("AVX512_CORE_BF16", True), ("", True)]
)
def test_onednns_own_limit_is_obeyed(monkeypatch: pytest.MonkeyPatch, limit: str, may: bool) -> None:
    monkeypatch.setattr(processor.Path, "read_text", lambda *_: "flags: avx2 avx512_bf16")
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", limit)
    processor.multiplies_bfloat16.cache_clear()
    try:
        assert processor.multiplies_bfloat16() is may
    finally:
        processor.multiplies_bfloat16.cache_clear()
