"""Files of answers, and files of other annotation tools: read as the program's `import` reads them."""
import os
import pathlib
import subprocess

import numpy as np
import pandas as pd
import pytest

import scdc
from scdc._files import tool_names

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "tests" / "exchange"
PROGRAM = os.environ.get("SCDC_PROGRAM")
# What a sample needs to be told, and what may not be read: rankings, exports without answers, a file of unknown columns.
TOLD = {"argilla-nested.json": {"answer": "topic"}, "table.jsonl": {"tool": "table"}}
REFUSED = {"crowd-kit-pairwise.csv", "label-studio-pairwise.json", "prolific-demographics.csv"}


def rows(answers):
    frame = answers.to_frame().astype(str)
    return sorted((worker, *sorted((left, right)), label) for worker, left, right, label in frame.itertuples(index=False))


@pytest.mark.filterwarnings("ignore:.*left out")
@pytest.mark.parametrize("path", sorted(SAMPLES.iterdir()), ids=lambda path: path.name)
def test_every_sample(path, tmp_path):
    told = TOLD.get(path.name, {})
    if path.name in REFUSED:
        with pytest.raises(ValueError):
            scdc.read_answers(path, **told)
        return
    got = scdc.read_answers(path, **told)
    assert got.n_answers > 0 and len(got.workers) > 0
    if not PROGRAM:
        pytest.skip("the program is not built (make)")
    words = {"answer": ["--answer"], "tool": ["--from"]}
    extra = [word for name, value in told.items() for word in (*words[name], value)]
    written = tmp_path / "answers.csv"
    subprocess.run([PROGRAM, "import", str(path), "-o", str(written), "--quiet", *extra], check=True)
    assert rows(scdc.read_answers(written)) == rows(got)
    assert rows(scdc.Answers(str(path) if not told else got)) == rows(got)


def test_every_tool_has_a_sample():
    read = set()
    for path in SAMPLES.iterdir():
        for tool in tool_names():
            if path.name.startswith(tool):
                read.add(tool)
    assert read == set(tool_names())


def test_several_files_of_several_tools(tmp_path):
    (tmp_path / "links.txt").write_text("cat lion ML\ncat oak CL\n")
    (tmp_path / "own.csv").write_text("worker,left,right,label\nann,oak,elm,yes\nann,oak,cat,unsure\n")
    got = scdc.read_answers([tmp_path / "links.txt", tmp_path / "own.csv"])
    assert got.n_answers == 3 and got.workers == ["expert", "ann"] and got.unsure == 1
    with pytest.raises(FileNotFoundError):
        scdc.read_answers([tmp_path / "own.csv", tmp_path / "none.csv"])


def test_what_a_file_does_not_tell(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("who,a,b,verdict\nann,pics/x.png,pics/y.png,twins\nbob,pics/x.png,pics/z.png,strangers\n")
    got = scdc.read_answers(path, "table", left="a", right="b", answer="verdict", worker="who", same=["twins", "brothers"],
                            different="strangers", base_names=True)
    assert rows(got) == [("ann", "x.png", "y.png", "1"), ("bob", "x.png", "z.png", "0")]
    with pytest.raises(ValueError, match="twins"):
        scdc.read_answers(path, "table", left="a", right="b", answer="verdict", worker="who")
    with pytest.raises(ValueError, match="nonesuch"):
        scdc.read_answers(path, "nonesuch")


def test_what_is_left_out_is_said(tmp_path):
    path = tmp_path / "batch.csv"
    path.write_text("HITId,WorkerId,AssignmentStatus,Input.a,Input.b,Answer.q\n1,w,Approved,x,y,1\n2,v,Rejected,x,z,0\n")
    with pytest.warns(UserWarning, match="1 answers left out.*rejected=True"):
        assert scdc.read_answers(path).n_answers == 1
    assert scdc.read_answers(path, rejected=True).n_answers == 2


def test_a_fit_takes_the_file_of_a_tool(blobs, tmp_path):
    """By number of the item, as the file has it, and by name."""
    X, truth = blobs
    random = np.random.RandomState(3)
    table = pd.DataFrame({"task": random.permutation(150)[:60], "worker": "w"})
    table["label"] = [f"kind {truth[i]}" for i in table["task"]]
    table.to_csv(tmp_path / "labels.csv", index=False)
    model = scdc.SCDC(random_state=1, max_epochs=5).fit(X, annotations=tmp_path / "labels.csv")
    assert list(model.workers_.index) == ["w"] and model.workers_["answers"].iloc[0] == 60 * 59 / 2
    names = [f"item {i}" for i in range(150)]
    table.assign(task=[names[i] for i in table["task"]]).to_csv(tmp_path / "named.csv", index=False)
    named = scdc.SCDC(random_state=1, max_epochs=5).fit(X, annotations=tmp_path / "named.csv", names=names)
    assert named.workers_["answers"].iloc[0] == 60 * 59 / 2


def test_a_project_of_collect_is_pointed_out(tmp_path):
    with pytest.raises(ValueError, match="scdc collect export"):
        scdc.read_answers(tmp_path)
