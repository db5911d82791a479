import importlib.util
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def hook():
    """The build hook as a module."""
    pytest.importorskip("hatchling")
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def compiler(hook):
    command = hook.compiler()
    if command is None:
        pytest.skip("no C compiler on this machine")
    return command


@pytest.fixture
def checkout(tmp_path):
    """What the build needs, copied somewhere else, to be compiled quickly: how well is no matter of these tests."""
    target = tmp_path / "checkout"
    ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.dll")
    shutil.copytree(ROOT / "src", target / "src", ignore=ignored)
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, target / name)
    recipe = (target / "hatch_build.py").read_text()
    assert '"-O3"' in recipe
    (target / "hatch_build.py").write_text(recipe.replace('"-O3"', '"-O0"'))
    return target
