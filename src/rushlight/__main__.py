"""`python -m rushlight`."""

import sys

from rushlight.cli import main

sys.exit(main())
