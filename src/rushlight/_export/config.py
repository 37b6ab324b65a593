"""Settings of export: kept for programs that set them; nothing reads them yet."""

from __future__ import annotations

from rushlight._names.settings import patcher

use_new_tracer_experimental = True
detect_non_strict_fake_tensor_leaks = False

patch = patcher(__name__)
