"""`python -m rushlight`."""

import sys

from rushlight._command.main import main

sys.exit(main())
