"""A server of one task, until it is killed."""

import argparse

import placewise.v1 as tf

parser = argparse.ArgumentParser()
parser.add_argument("--local_hosts")
parser.add_argument("--job_name")
parser.add_argument("--task_index", type=int)
FLAGS = parser.parse_args()

server = tf.train.Server({"local": FLAGS.local_hosts.split(",")}, "local", FLAGS.task_index)
print("serving", flush=True)
server.join()
