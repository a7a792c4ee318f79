"""Which flags a program defines, and what it is told through them."""

import pytest

from placewise.cli.cluster.flags import defined_flags, task_arguments
from placewise.cli.cluster.layout import Task
from placewise.cli.program import Text

TASKS = [Task("worker", 0, "a:1"), Task("worker", 1, "b:1"), Task("ps", 0, "a:2")]


@pytest.mark.parametrize(
    "source",
    [
        "tf.app.flags.DEFINE_string('job_name', 'ps', 'one of ps, worker')",
        "from absl.flags import DEFINE_enum\nDEFINE_enum('job_name', None, ['ps'], 'x')",
        "flags.DEFINE_string(name='job_name', default='', help='')",
        "parser.add_argument('-j', '--job_name', type=str)",
        "parser.add_argument('--job-name')",
    ],
)
def test_flags_are_found_however_they_are_defined(source, tmp_path):
    assert "job_name" in defined_flags(Text(source, "x.py", str(tmp_path)))


def test_flags_of_a_module_beside_the_program_count(tmp_path):
    (tmp_path / "options.py").write_text("flags.DEFINE_integer('task_index', 0, '')")
    text = Text("import options\nfrom os import path", "x.py", str(tmp_path))
    assert defined_flags(text) == {"task_index"}


def test_a_program_is_told_what_it_asks_for_and_the_user_did_not_say():
    flags = frozenset({"ps_hosts", "worker_hosts", "job_name", "task_index"})
    told = task_arguments(flags, TASKS[1], TASKS, ["--worker_hosts=c:1", "--steps", "3"])
    assert told == ["--ps_hosts=a:2", "--job_name=worker", "--task_index=1"]
    assert task_arguments(frozenset(), TASKS[1], TASKS, []) == []
