"""All loops together: equal bits on all vector units, and no step outside of any array."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from causewise.numerics import native

EXERCISE = str(Path(__file__).with_name("exercise.py"))


def exercise(**environment):
    return subprocess.run([sys.executable, EXERCISE], capture_output=True, text=True, env=os.environ | environment)


def test_every_method_has_the_same_bits_on_all_vector_units():
    if not native.has_avx2():
        pytest.skip("this machine has one set of vector units only")
    folder = Path(native.__file__).parent
    narrow, wide = (
        exercise(CAUSEWISE_NATIVE=str(folder / f"{name}{native.SUFFIX}")) for name in ("loops", "loops-avx2")
    )
    assert narrow.returncode == 0, narrow.stderr
    assert narrow.stdout.count("\n") > 20
    assert narrow.stdout == wide.stdout


def test_no_loop_reads_or_writes_outside_of_its_arrays(hook, compiler, tmp_path):
    runtime = subprocess.run([*compiler, "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    if not Path(runtime).is_file():
        pytest.skip("this compiler brings no address sanitizer")
    library = tmp_path / f"checked{native.SUFFIX}"
    hook.link(compiler, ["-O0", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"], library)
    run = exercise(
        CAUSEWISE_NATIVE=str(library),
        LD_PRELOAD=runtime,
        ASAN_OPTIONS="detect_leaks=0",
        UBSAN_OPTIONS="print_stacktrace=1",
    )
    assert run.returncode == 0, run.stderr[-4000:]
