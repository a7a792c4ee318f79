"""str, repr and tf.print-like text of tensors, variables and specs, to the letter."""

LINES = """
str(A(1)), repr(A(1)), str(A([1, 2])), repr(A([1, 2])), str(A(1.5)), repr(A(1.5))
str(A([1.5, 2.25])), repr(A([1.5, 2.25])), str(A('a')), repr(A('a'))
str(A([True, False])), repr(A([True, False])), str(A(['a', 'bc'])), repr(A(['a', 'bc']))
str(A([1j])), repr(A(1 + 2j)), str(A([])), repr(A([])), repr(tf.zeros([0, 3]))
str(tf.zeros([2, 0]))
str(A([[1, 2], [3, 4]])), repr(A([[1, 2], [3, 4]])), repr(R(2, 3)), str(R(2, 2, 2))
repr(tf.range(100)), str(tf.range(2000)), repr(tf.zeros([40, 40])), repr(A([nan, inf, -inf]))
str(A([1e10, 1e-10])), repr(A([0.1, 100000.]))
repr(A([1.5], 'float16')), repr(A([1.5], 'bfloat16')), str(A([1.5, 2.], 'bfloat16'))
repr(A([1.5], 'float64')), repr(A(3, 'uint8')), repr(A([3], 'int64')), repr(A([1], 'complex64'))
repr(A(1.5, 'bfloat16')), repr(A(0.1)), repr(A(1 / 3))
str(A(b'\\xff\\x00')), repr(A(b'\\xff')), str(A(['é'])), repr(A('é')), repr(A('a\\nb'))
repr(A([['a']])), str(A(True)), repr(A(True)), str(A(-0.0)), repr(A([-0.0, 0.])), str(A([1e38, 1.]))
repr(A([123456789])), repr(A([1234567.8])), repr(A([[[1.]]]))
repr(V(1.)), str(V(1.)), repr(V([1, 2])), repr(tf.Variable([1.5], name='w'))
str(tf.Variable([[1, 2]], name='m')), repr(tf.Variable('a'))
repr(tf.Variable([True], trainable=False)), repr(tf.Variable(tf.zeros([2, 3]), name='z'))
repr(tf.Variable(1.5, dtype='float16'))
repr(tf.float32), str(tf.int64), repr(tf.TensorShape([1, None])), str(tf.TensorShape([1, None]))
repr(tf.TensorShape(None)), str(tf.TensorShape([])), repr(tf.TensorSpec([2, None], tf.int32))
str(tf.TensorSpec(None, tf.string, name='s')), repr(tf.TensorSpec([]))
str(SP([[0]], [1.], [2])), repr(RAG([[1], [2, 3]])), str(RAG([[1.5], []]))
str(RAG([['a'], ['b', 'c']])), repr(tf.RaggedTensorSpec([None, None], tf.string))
repr(tf.SparseTensorSpec([2], tf.float32)), repr(tf.IndexedSlicesSpec([2], tf.float32))
str(tf.IndexedSlices(A([1.]), A([0])))
repr(A([1, 2]).shape), str(A([1, 2]).dtype), f'{A([1, 2])}', f'{A(1.5)}', '{}'.format(A(3))
f'{A(3).numpy()}', format(A(2)), '%s' % A([1.]), f'{A(1.5):.3f}', f'{A(7).numpy():d}', str([A(1)])
str({'a': A(1.)}), repr((A('x'),))
tf.strings.format('{}', R(2, 2)), tf.strings.format('{} and {}', (A([1, 2]), A(True)))
tf.strings.format('{}', A(['a', 'b'])), tf.strings.format('{}', A(1.5))
tf.strings.format('{}', A([0.1, 1e10, 1 / 3])), tf.strings.format('{}', tf.zeros([10]))
tf.strings.format('{}', tf.zeros([8, 8]))
tf.strings.format('{}', A([[1, 2, 3, 4, 5, 6, 7, 8]])), tf.strings.format('{}', A(1 + 2j))
tf.strings.format('{}', A([1], 'uint8')), tf.strings.format('{}', A([1.5], 'float64'))
tf.strings.format('{}', A([])), tf.strings.format('{}', A(nan)), tf.strings.format('{}', A('q'))
str(tf.errors.InvalidArgumentError(None, None, 'msg')), repr(tf.UnconnectedGradients.ZERO)
str(tf.image.ResizeMethod.BILINEAR), repr(tf.VariableAggregation.SUM)
str(tf.VariableSynchronization.AUTO), tf.UnconnectedGradients.NONE.value
repr(tf.DeviceSpec(job='a', device_type='GPU', device_index=0))
tf.DeviceSpec.from_string('/job:a/task:1/gpu:0').to_string(), str(tf.DeviceSpec(device_type='CPU'))
A([1.]).device, tf.DeviceSpec.from_string('/cpu:1').device_index
repr(A(np.arange(12).reshape(3, 4))), repr(A(np.arange(24.).reshape(2, 3, 4), 'float32'))
repr(A([[0.001, 1000.]])), repr(A([1.0, 2.0])), repr(A([1e-5])), repr(A([1.5, nan]))
repr(A(12345678)), repr(A(0.00001)), repr(A(1e20)), repr(A(16777217.))
"""

SNIPPETS = r"""
import io, contextlib
out = io.StringIO()
with contextlib.redirect_stdout(out):
    print(A([1, 2]), A('a'), A(1.5))
out.getvalue()

import os, tempfile
path = os.path.join(tempfile.mkdtemp(), 'out.txt')
tf.print('a', A([1, 2]), output_stream='file://' + path)
tf.print(A([[1.5, 2.], [3., 4.]]), 5, True, None, output_stream='file://' + path)
tf.print({'b': A(1), 'a': [A(2), 'x']}, (A(3),), output_stream='file://' + path, sep='|', end='!\n')
tf.print(tf.range(10), summarize=2, output_stream='file://' + path)
tf.print(A('text'), A(['a', 'b']), A(1 / 3), A([1e-8, 1e8]), output_stream='file://' + path)
tf.print(SP([[0]], [1.], [2]), output_stream='file://' + path)
tf.print(RAG([[1], [2, 3]]), output_stream='file://' + path)
tf.print(V([1., 2.]), tf.float32, tf.zeros([0]), tf.zeros([7, 7]), summarize=-1,
    output_stream='file://' + path)
open(path).read()

v = tf.Variable([1., 2.], name='weights')
[v.name, v.shape, v.dtype, str(v), repr(v.read_value()), v.trainable]

with tf.name_scope('outer'):
    v = tf.Variable(1., name='v')
    with tf.name_scope('inner') as scope:
        w = tf.Variable(1.)
[v.name, w.name, scope, repr(w)]
"""
