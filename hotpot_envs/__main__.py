"""``python -m hotpot_envs``: the command line, as ``hotpot``."""

from __future__ import annotations

import sys

from hotpot_envs.cli import main

if __name__ == "__main__":
    sys.exit(main())
