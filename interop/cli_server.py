"""Runs commands of the client's command line in forked processes, because loading the command line takes seconds.

Reads one line of JSON per command (words, and files for input and output) and prints its exit status.
"""

import json
import os
import sys
import traceback

from prefect.cli import app


def run_command(words, given, printed):
    for descriptor, path, flags in ((0, given, os.O_RDONLY), (1, printed, os.O_WRONLY), (2, printed, os.O_WRONLY | os.O_APPEND)):
        os.dup2(os.open(path, flags), descriptor)
    sys.argv = ["prefect", *words]
    try:
        app()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


for line in sys.stdin:
    child = os.fork()
    if child == 0:
        status = run_command(**json.loads(line))
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
