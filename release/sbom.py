"""The bill of materials of the core install as CycloneDX 1.6 JSON on standard output.

    python -m release.sbom > causewise.cdx.json

Run it with the Python of the environment in question. The same packages give the same bytes: nothing says when or where
it was made, and the serial number is derived from the contents, as a bill of other contents must have another.
"""

import json
import sys
import uuid
from typing import Any

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from release.closure import Package, closure, purl


def bill(packages: list[Package], root: str = "causewise") -> dict[str, Any]:
    """The document, as CycloneDX has it."""
    references = {each.name: purl(each) for each in packages}
    components = {each.name: component(each) for each in packages}
    body = {
        "metadata": {"component": components.pop(root) | {"type": "application"}},
        "components": list(components.values()),
        "dependencies": [
            {"ref": references[each.name], "dependsOn": [references[name] for name in each.requires]}
            for each in packages
        ],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(body, sort_keys=True))
    head = {"bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": f"urn:uuid:{serial}", "version": 1}
    return head | body


def component(package: Package) -> dict[str, Any]:
    """One package; a licence that is no expression of SPDX stands under the name it gives itself."""
    entry = {
        "type": "library",
        "bom-ref": purl(package),
        "name": package.name,
        "version": package.version,
        "purl": purl(package),
    }
    if not package.licence:
        return entry
    try:
        return entry | {"licenses": [{"expression": canonicalize_license_expression(package.licence)}]}
    except InvalidLicenseExpression:
        return entry | {"licenses": [{"license": {"name": package.licence}}]}


if __name__ == "__main__":
    json.dump(bill(closure()), sys.stdout, indent=2, ensure_ascii=True)
    sys.stdout.write("\n")
