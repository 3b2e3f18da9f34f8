#!/usr/bin/env python3
"""A PostgreSQL of one's own: in a temporary folder, on a socket there, gone afterwards.

Usage: tests/server/postgres.py COMMAND...

Runs the command with the database's address in $SCDC_TEST_STORE; the shell command in $SCDC_TEST_STORE_KILL kills the
database (kill -9), the one in $SCDC_TEST_STORE_START starts it again. Ends with 77 where there is no PostgreSQL.
"""
import glob
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77


def program(name):
    """Path of one of PostgreSQL's programs, newest version first; None when it is not there."""
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=lambda path: int(path.split("/")[4]))
    return found[-1] if found else shutil.which(name)


def available():
    return program("initdb") is not None and program("postgres") is not None


class Database:
    """PostgreSQL refuses to be run by root: then another user has the folder and the process."""

    def __init__(self, synced=False):
        self.folder = tempfile.mkdtemp(prefix="scdc-pg-", dir=os.environ.get("TMPDIR"))
        self.data = os.path.join(self.folder, "data")
        self.child = None
        self.synced = synced
        self.words = []
        if os.geteuid() == 0:
            names = [entry.pw_name for entry in pwd.getpwall()]
            user = "postgres" if "postgres" in names else "nobody"
            self.words = ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}", "--clear-groups", "--"]
            shutil.chown(self.folder, user)

    @property
    def url(self):
        return f"postgresql://scdc@{self.folder.replace('/', '%2F')}/postgres"

    def run(self, *words):
        subprocess.run([*self.words, *words], check=True, stdout=subprocess.DEVNULL, cwd="/")

    def create(self):
        self.run(program("initdb"), "-D", self.data, "-A", "trust", "-U", "scdc", "-E", "UTF8", "--locale=C", "--no-sync",
                 "--no-instructions")
        with open(os.path.join(self.data, "postgresql.conf"), "a", encoding="utf-8") as stream:
            stream.write(f"\nlisten_addresses = ''\nunix_socket_directories = '{self.folder}'\nmax_connections = 60\n"
                         f"fsync = {'on' if self.synced else 'off'}\n")
        self.start()

    def start(self):
        """Until it answers. What a killed one left (shared memory of processes that are still ending) passes."""
        log = os.path.join(self.folder, "log")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self.child is None or self.child.poll() is not None:
                with open(log, "ab") as stream:
                    self.child = subprocess.Popen([*self.words, program("postgres"), "-D", self.data], stdout=stream,
                                                  stderr=stream, cwd="/", start_new_session=True)
            if subprocess.run([program("pg_isready"), "-q", "-h", self.folder], check=False).returncode == 0:
                return
            time.sleep(0.05)
        with open(log, encoding="utf-8", errors="replace") as stream:
            raise RuntimeError("PostgreSQL does not start:\n" + stream.read()[-2000:])

    def kill(self):
        self.child.kill()
        self.child.wait()

    def stop(self):
        if self.child and self.child.poll() is None:
            self.child.send_signal(signal.SIGQUIT)
            self.child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def run(words, database):
    """The exit status of the command. While there is a file `wish` the database is dead, and there is a file `dead`."""
    wish, dead = (os.path.join(database.folder, name) for name in ("wish", "dead"))
    env = {**os.environ, "SCDC_TEST_STORE": database.url,
           "SCDC_TEST_STORE_KILL": f": >{wish}; while ! [ -e {dead} ]; do sleep .02; done",
           "SCDC_TEST_STORE_START": f"rm {wish}; while [ -e {dead} ]; do sleep .02; done"}
    with subprocess.Popen(words, env=env) as command:
        while command.poll() is None:
            if os.path.exists(wish) and not os.path.exists(dead):
                database.kill()
                open(dead, "w", encoding="utf-8").close()
            elif os.path.exists(dead) and not os.path.exists(wish):
                database.start()
                os.remove(dead)
            time.sleep(0.02)
        return command.returncode


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    if not available():
        print("skipped: no PostgreSQL (tools/setup --postgresql installs it)")
        return SKIPPED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("no end in time"))
    database = Database(synced="SCDC_TEST_SYNCED" in os.environ)
    try:
        database.create()
        return run(sys.argv[1:], database)
    finally:
        database.stop()


if __name__ == "__main__":
    sys.exit(main())
