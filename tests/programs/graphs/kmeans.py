"""Lloyd's algorithm written with segment sums and a loop inside the graph."""

import numpy as np
import tensorflow as tf

POINTS, CLUSTERS, DIMENSIONS = 300, 3, 2
rng = np.random.RandomState(0)
true_centres = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
belongs = rng.randint(0, CLUSTERS, POINTS)
data = true_centres[belongs] + rng.normal(0, 0.5, (POINTS, DIMENSIONS))

points = tf.constant(data, tf.float32, name="points")
# Start from the first point, then those farthest from the ones there are.
start = [data[0]]
for _ in range(CLUSTERS - 1):
    far = np.min([np.linalg.norm(data - centre, axis=1) for centre in start], axis=0)
    start.append(data[np.argmax(far)])
centres = tf.Variable(np.array(start), dtype=tf.float32, name="centres")
assignment = tf.Variable(tf.zeros([POINTS], tf.int64), name="assignment")

differences = tf.expand_dims(points, 1) - tf.expand_dims(centres, 0)
distances = tf.reduce_sum(tf.square(differences), axis=2)
nearest = tf.argmin(distances, 1)
changed = tf.reduce_any(tf.not_equal(nearest, assignment))


def means(values, groups, count):
    total = tf.unsorted_segment_sum(values, groups, count)
    members = tf.unsorted_segment_sum(tf.ones_like(values), groups, count)
    return total / tf.maximum(members, 1.0)


# Both updates read the values from before: the dependency makes `changed` come first.
with tf.control_dependencies([changed]):
    update = tf.group(centres.assign(means(points, nearest, CLUSTERS)), assignment.assign(nearest))
inertia = tf.reduce_sum(tf.reduce_min(distances, 1))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    moving, steps, history = True, 0, []
    while moving and steps < 50:
        steps += 1
        history.append(sess.run(inertia))
        moving, _ = sess.run([changed, update])
    found, groups = sess.run([centres, assignment])

print("stopped by itself:", steps < 50)
print("inertia never rose:", all(a >= b - 1e-3 for a, b in zip(history, history[1:])))
found = found[np.lexsort(np.round(found.T))]
print("centres:", np.round(found).astype(int).tolist())
purity = sum(np.bincount(belongs[groups == g]).max() for g in range(CLUSTERS)) / float(POINTS)
print("purity %.2f" % purity)
