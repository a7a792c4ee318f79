"""A task that only serves: what workers and parameter servers of TensorFlow 2 programs run."""

import argparse

import placewise as tf

parser = argparse.ArgumentParser()
parser.add_argument("--ps_hosts", default="")
parser.add_argument("--worker_hosts", default="")
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
flags = parser.parse_args()
jobs = {"ps": flags.ps_hosts, "worker": flags.worker_hosts}
cluster = {job: hosts.split(",") for job, hosts in jobs.items() if hosts}
server = tf.distribute.Server(cluster, job_name=flags.job_name, task_index=flags.task_index)
print("serving", flush=True)
server.join()
