"""Methods that decide a pair: LOCI, its networks, the default, and other people's."""
