"""Threads that fill queues, and a coordinator that ends them together."""

import threading
import time

import tensorflow as tf

# By hand: a first-in-first-out queue, filled and taken from.
queue = tf.FIFOQueue(3, "float")
fill = queue.enqueue_many([[1.0, 2.0, 3.0]])
x = queue.dequeue()
turn = queue.enqueue([x + 1])

# By runner: four threads keep a shuffling queue full.
numbers = tf.Variable(0, dtype=tf.int64)
following = numbers.assign_add(1)
shuffled = tf.RandomShuffleQueue(
    capacity=40, min_after_dequeue=10, dtypes=[tf.int64], shapes=[[]], seed=3
)
runner = tf.train.QueueRunner(shuffled, [shuffled.enqueue(following)] * 4)
tf.train.add_queue_runner(runner)
ten = shuffled.dequeue_many(10)

# Unequal lengths, padded as they are taken.
padding = tf.PaddingFIFOQueue(10, [tf.int32], shapes=[[None]])
puts = [padding.enqueue([tf.range(n)]) for n in (1, 3, 2)]
padded = padding.dequeue_many(3)

important = tf.PriorityQueue(10, [tf.string], shapes=[[]])
tell = important.enqueue_many([[3, 1, 2], ["last", "first", "second"]])
hear = important.dequeue()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    fill.run()
    for _ in range(4):
        sess.run(turn)
    print("size", sess.run(queue.size()), "next", sess.run(x))

    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    print("threads:", len(threads))
    first, second = sess.run(ten), sess.run(ten)
    print("taken:", len(first) + len(second), "counted:", sess.run(numbers) > 0)
    coord.request_stop()
    coord.join(threads)
    print("all ended:", not any(thread.is_alive() for thread in threads))

    for put in puts:
        sess.run(put)
    print("padded:", sess.run(padded).tolist())
    sess.run(tell)
    print("by priority:", [sess.run(hear)[1].decode() for _ in range(3)])

    # A closed queue gives what it has, then says so.
    sess.run(queue.close())
    left = []
    try:
        while True:
            left.append(float(sess.run(x)))
    except tf.errors.OutOfRangeError as error:
        print("left:", left, "closed:", "is closed and has insufficient elements" in error.message)


def work(coord, worker, done):
    while not coord.should_stop():
        done.append(worker)
        if len(done) > 5:
            coord.request_stop()
        time.sleep(0.001)


done, coord = [], tf.train.Coordinator()
workers = [threading.Thread(target=work, args=(coord, i, done)) for i in range(3)]
for worker in workers:
    worker.start()
coord.join(workers)
print("workers stopped:", len(done) > 5)

coord = tf.train.Coordinator()
with coord.stop_on_exception():
    raise ValueError("from a thread")
try:
    coord.join([])
except ValueError as error:
    print("told of it:", error)
