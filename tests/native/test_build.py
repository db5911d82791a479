"""The build: reproducible wheels for this platform, installed and used where no compiler is; its sentences."""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile

import pytest


def wheel(checkout, out, **environment):
    """A wheel of the checkout, made by the build backend with the packages of this environment."""
    code = f"from hatchling.build import build_wheel; print(build_wheel({str(out)!r}))"
    out.mkdir()
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=checkout, capture_output=True, text=True, env=os.environ | environment
    )
    assert run.returncode == 0, run.stderr
    return out / run.stdout.strip().splitlines()[-1]


def test_the_wheel_is_the_same_twice_and_works_where_there_is_no_compiler(compiler, checkout, tmp_path):
    first = wheel(checkout, tmp_path / "one")
    moved = shutil.move(checkout, tmp_path / "elsewhere")
    second = wheel(moved, tmp_path / "two")
    assert hashlib.sha256(first.read_bytes()).digest() == hashlib.sha256(second.read_bytes()).digest()
    assert "-py3-none-" in first.name
    assert "-any" not in first.name
    names = zipfile.ZipFile(first).namelist()
    assert any("native/loops" in name for name in names)
    assert not any(name.endswith((".c", ".h")) for name in names)
    # The other packages come from this environment; the wheel is put before them, and no program is on the path.
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(site)]
    subprocess.run([*install, str(first)], check=True, env=os.environ | {"PATH": ""})
    code = (
        "import sys, numpy as np\n"
        f"sys.path.insert(0, {str(site)!r})\n"
        "import causewise\n"
        f"assert causewise.__file__.startswith({str(site)!r}), causewise.__file__\n"
        "x = np.random.default_rng(0).normal(size=200)\n"
        "print(causewise.infer({'a': x, 'b': x**3 + x}, 'a', 'b', method='loci-m').score)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PATH": "", "HOME": ""})
    assert run.returncode == 0, run.stderr
    float(run.stdout)


def test_without_a_compiler_the_build_asks_the_index_for_one(hook, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.delenv("CC", raising=False)
    assert hook.compiler() is None
    assert hook.LoopsHook.dependencies(None) == ["ziglang"]


def test_a_compiler_that_does_not_work_is_not_taken(hook, monkeypatch, tmp_path):
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CC", str(broken))
    assert hook.compiler() != [str(broken)]


def test_where_no_compiler_can_be_had_one_sentence_names_the_package(hook, monkeypatch):
    monkeypatch.setattr(hook, "works", lambda command: False)
    with pytest.raises(SystemExit, match=r"apt-get install gcc libc6-dev.*pip install ziglang"):
        hook.LoopsHook.initialize(None, "standard", {})


def test_a_source_folder_that_was_never_built_says_what_to_do(checkout):
    code = f"import sys; sys.path.insert(0, {str(checkout / 'src')!r}); import causewise.numerics.native"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "run `pip install .`" in run.stderr
