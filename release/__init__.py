"""What a release must show before it leaves: `make release-check` runs it all, hosted CI runs the same commands.

twice      the wheel and the source archive, built twice in different places: the same bytes
fresh      the wheel in an empty environment: its version, the tour, and the tests that need nothing more
version    the places that say the version agree
closure    what an installation brings along, with version and licence
licences   a table of these, refused where one is unknown or asks for more than a notice
sbom       the same as a CycloneDX bill of materials
"""
