#!/usr/bin/env python3
"""Several servers with one database, as processes: a crowd asks them in turn while servers and the database are killed.

Usage: tests/server/servers.py SCDC   (ends with 77 where there is no PostgreSQL)
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error

from collect import Server, answer, run
from postgres import SKIPPED, Database, available, program

SERVERS, WORKERS, WANTED, REFIT = 3, 6, 2, 60


class Cluster:
    """Servers that may be away for a while, and a database."""

    def __init__(self, scdc, folder, items, database):
        self.scdc, self.folder, self.items, self.database = scdc, folder, items, database
        self.servers = [self.start(i) for i in range(SERVERS)]
        self.turn = 0

    def start(self, i):
        # Each has a folder of its own; the database is what they share.
        return Server(self.scdc, os.path.join(self.folder, f"project-{i}"), self.items, "--store", self.database.url,
                      "--redundancy", str(WANTED), "--refit", str(REFIT))

    def ask(self, token, path, body=None):
        """From one server after the other, as behind a proxy; None when it does not answer just now."""
        self.turn += 1
        server = self.servers[self.turn % SERVERS]
        try:
            return server.ask(token, path, body)
        except (urllib.error.URLError, ConnectionError, TimeoutError, json.JSONDecodeError):
            return None, {}

    def patiently(self, token, path, body=None):
        for _ in range(300):
            status, reply = self.ask(token, path, body)
            if status == 200:
                return reply
            assert status in (None, 429, 503), (status, reply)
            time.sleep(0.1)
        raise AssertionError("no server answers")


def work(cluster, token, classes, answers, kept):
    """Answers truly; what is not acknowledged is sent again, to whoever is next, under the same id."""
    while answers > 0:
        tasks = cluster.patiently(token, "/api/tasks", {"want": 4, "have": []})["tasks"]
        if not tasks:
            time.sleep(0.2)
        for task in tasks[:answers]:
            left, right = (classes[item] for item in task["items"])
            given = answer(task, "1" if left == right else "0")
            reply = cluster.patiently(token, "/api/answers", {"answers": [given]})
            assert reply["kept"] == [given["id"]], reply
            kept.append(given["id"])
            answers -= 1


def crowd(cluster, tokens, classes, each, disturb=None):
    kept = []
    threads = [threading.Thread(target=work, args=(cluster, token, classes, each, kept)) for token in tokens]
    for thread in threads:
        thread.start()
    if disturb:
        disturb()
    for thread in threads:
        thread.join()
    assert len(kept) == len(tokens) * each, len(kept)  # a thread that failed has not come so far
    return kept


def wait_for_clusters(cluster, newer_than=0):
    """The number of answers that the clusters are made of, the same on every server's page."""
    for _ in range(300):
        made_of = set()
        for server in cluster.servers:
            status, overview = server.ask(cluster.servers[0].owner, "/api/owner/overview")
            assert status == 200, overview
            made_of.add((overview["clusters"] or {"answers": 0})["answers"])
        if len(made_of) == 1 and min(made_of) > newer_than:
            return made_of.pop()
        time.sleep(0.2)
    raise AssertionError(f"the servers show clusters of {made_of} answers")


def refusals(scdc, folder, items, database):
    """What the program says to wrong addresses; never a password."""
    def refused(status, words, *options):
        said = subprocess.run([scdc, "collect", items, *options], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=60, check=False)
        assert said.returncode == status and words in said.stdout and "hunter2" not in said.stdout, said
    new, old = os.path.join(folder, "new"), os.path.join(folder, "old")
    refused(2, "no address of a database", "-o", new, "--store", "db.example.org")
    refused(2, "no address of a database", "-o", new, "--store", "postgresql://ann:hunter2@:x:/db?y")
    refused(1, "connecting", "-o", new, "--store", "postgresql://ann:hunter2@127.0.0.1:1/db")
    server = Server(scdc, old, items)
    assert server.stop() == 0
    refused(2, "--store needs another folder", "-o", old, "--store", database.url)


def test(scdc, folder, database):
    items, truth = os.path.join(folder, "items.npy"), os.path.join(folder, "truth.csv")
    run(scdc, "simulate", "data", "blobs", "-k", "3", "-n", "150", "-d", "4", "-o", items, "--labels", truth)
    with open(truth, encoding="utf-8") as stream:
        classes = [line.strip().split(",")[1] for line in stream][1:]
    refusals(scdc, folder, items, database)
    cluster = Cluster(scdc, folder, items, database)
    tokens = [cluster.patiently(cluster.servers[1].join, "/api/join", {"name": "Ann"})["token"] for _ in range(WORKERS)]
    kept = crowd(cluster, tokens, classes, 20)
    made_of = wait_for_clusters(cluster)
    print(f"{len(kept)} answers, clusters of {made_of} on every page")

    def kill_servers_and_database():
        """Every server once, so the one that leads as well, and the database in between."""
        for i in range(SERVERS):
            time.sleep(0.5)
            cluster.servers[i].child.kill()
            cluster.servers[i].child.wait()
            if i == 1:
                database.kill()
                time.sleep(0.5)
                database.start()
            links = cluster.servers[i].owner, cluster.servers[i].join
            cluster.servers[i] = cluster.start(i)
            cluster.servers[i].owner, cluster.servers[i].join = links  # older links go on working

    kept += crowd(cluster, tokens, classes, 40, kill_servers_and_database)
    made_of = wait_for_clusters(cluster, made_of)  # somebody leads, and the others hear of it
    status, overview = cluster.ask(cluster.servers[0].owner, "/api/owner/overview")
    assert status == 200 and len(overview["workers"]) == WORKERS, overview["workers"]
    assert sorted(worker["name"] for worker in overview["workers"])[:2] == ["Ann", "Ann 2"]
    for server in cluster.servers:
        assert server.stop() == 0
    # From any of the folders: what was acknowledged, once, of as many people as wanted.
    rows = run(scdc, "collect", "export", os.path.join(folder, "project-2")).strip().split("\n")[1:]
    assert len(rows) == len(kept) == len(set(kept)), (len(rows), len(kept))
    beyond = run(program("psql"), "-X", "-t", "-A", database.url, "-c",
                 f"SELECT count(*) FROM task WHERE (SELECT count(*) FROM answer WHERE task = number) > {WANTED} +"
                 " (SELECT count(*) FROM wish WHERE task = number AND again = 1)")
    assert int(beyond) == 0, f"{beyond} questions went to more people than wanted"
    assert len(set(row.rsplit(",", 1)[0] for row in rows)) == len(rows), "somebody answered a pair twice"
    print(f"{len(kept)} acknowledged, {len(rows)} kept, clusters of {made_of} in the end")
    return 0


def main():
    if not available():
        print("skipped: no PostgreSQL (tools/setup --postgresql installs it)")
        return SKIPPED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("no end in time"))
    folder, database = tempfile.mkdtemp(prefix="scdc-servers-"), Database(synced=True)
    try:
        database.create()
        return test(sys.argv[1], folder, database)
    finally:
        for server in Server.started:
            server.child.kill()
        database.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
