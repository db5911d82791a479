"""A registered set that is small."""

from dataclasses import replace

import pytest
from little_server import contents

from causewise.lab.datasets.fetching import tree_sha256
from causewise.lab.datasets.storage import PublishedSet, published_set


@pytest.fixture(scope="module")
def registered(tmp_path_factory: pytest.TempPathFactory) -> PublishedSet:
    """AN as if the little files were the published ones."""
    folder = tmp_path_factory.mktemp("original")
    for name, text in contents().items():
        (folder / name).write_text(text)
    return replace(published_set("AN"), tree_sha256=tree_sha256(folder.iterdir()), labels_sha256="", mirrors=())
