"""Variables: assignments, scatter methods, slices, attributes and errors."""

LINES = """
tf.Variable(1.), tf.Variable([1, 2], dtype=tf.float64)
tf.Variable(tf.zeros([2]), trainable=False).trainable, tf.Variable(lambda: A([1., 2.])).numpy()
tf.Variable(5, name='five').name
tf.Variable([1., 2.]).shape, tf.Variable([1, 2]).dtype, tf.Variable('a').numpy(), tf.Variable(True)
tf.Variable(1.).name, tf.Variable(np.ones((2, 2))).dtype, tf.Variable([1., 2.]).read_value()
tf.Variable([1., 2.]).value()
tf.Variable(initial_value=A([1]), shape=[None]).shape
tf.Variable(A([1., 2.]), shape=tf.TensorShape(None)).shape, tf.Variable([1.]).trainable
tf.Variable([1.]).synchronization, tf.Variable([1.]).aggregation, tf.Variable(1.).constraint
tf.Variable(1.).assign(2.), tf.Variable([1., 2.]).assign_add([1., 1.])
tf.Variable([1., 2.]).assign_sub([1., 1.]), tf.Variable(1.).assign_add(1.5).numpy()
tf.Variable([1, 2]).assign([3, 4], read_value=False) is None, tf.Variable(1.).assign(2.) is not None
V([1., 2., 3.]).scatter_add(tf.IndexedSlices(A([1., 1.]), A([0, 2])))
V([1., 2., 3.]).scatter_sub(tf.IndexedSlices(A([1.]), A([0])))
V([1., 2., 3.]).scatter_update(tf.IndexedSlices(A([9.]), A([1])))
V([1., 2., 3.]).scatter_max(tf.IndexedSlices(A([9.]), A([1])))
V([1., 2., 3.]).scatter_min(tf.IndexedSlices(A([0.]), A([1])))
V([1., 2., 3.]).scatter_mul(tf.IndexedSlices(A([5.]), A([1])))
V([1., 2., 3.]).scatter_div(tf.IndexedSlices(A([2.]), A([1])))
V([1., 2.]).scatter_add(tf.IndexedSlices(A([1., 1.]), A([0, 0])))
V([1., 2., 3.]).scatter_nd_add([[0], [2]], [1., 1.]), V([1., 2., 3.]).scatter_nd_sub([[0]], [1.])
V([1., 2., 3.]).scatter_nd_update([[0]], [7.]), V([1., 2.]).scatter_nd_max([[0]], [7.])
V([1., 2.]).scatter_nd_min([[0]], [-7.]), V([[1., 2.], [3., 4.]]).scatter_nd_update([[0, 1]], [7.])
V([[1., 2.], [3., 4.]]).batch_scatter_update(tf.IndexedSlices(A([[9.], [8.]]), A([[1], [0]])))
V([1., 2., 3.]).sparse_read([0, 2]), V([[1., 2.], [3., 4.]]).gather_nd([[0, 1]])
V([1., 2., 3.])[1:], V([[1., 2.], [3., 4.]])[:, 0], V([1., 2., 3.])[::-1]
V([1., 2.]) + 1., V([1., 2.]) * V([3., 4.]), 2. - V([1.]), V([1., 2.]) > 1.5, -V([1.])
abs(V([-1.])), V([True]) & True, ~V([True]), V([[1.]]) @ V([[2.]]), V([3]) // 2, V([3]) % 2
V([2.]) ** 2., V([1., 2.]) == V([1., 3.]), V(1.) == V(1.)
tf.add(V([1.]), V([2.])), tf.reduce_sum(V([1., 2.])), tf.convert_to_tensor(V([1., 2.]))
tf.identity(V([1.])), tf.cast(V([1.5]), tf.int32), tf.concat([V([1.]), V([2.])], 0)
tf.stack([V(1.), V(2.)]), tf.zeros_like(V([1.])), tf.shape(V([1., 2.])), np.array(V([1., 2.]))
float(V(1.5)), int(V(3)), bool(V(1)), V([1, 2]).shape[0]
tf.matmul(V([[1., 2.]]), V([[1.], [2.]])), tf.gather(V([1., 2., 3.]), [2, 0])
tf.nn.embedding_lookup(V([[1., 2.], [3., 4.]]), [1]), tf.one_hot(V([0, 1]), 2), tf.is_tensor(V(1.))
isinstance(V(1.), tf.Variable), isinstance(V(1.), tf.Tensor), V([1, 2]).get_shape()
V([1., 2.]).device[-5:]
V([1., 2.]).is_initialized(), V([1., 2.]).numpy(), V([1., 2.]).ref() == V([1., 2.]).ref()
V(1.).handle.dtype, V([1.]).shape.rank, hash(V(1.).ref()) is not None, V([1., 2.])[0].numpy()
[x.numpy() for x in V([1., 2.])]
tf.compat.v1.assign(V([1.]), [2.]), tf.compat.v1.assign_add(V([1.]), [2.])
tf.compat.v1.assign_sub(V([1.]), [2.]), tf.compat.v1.scatter_update(V([1., 2.]), [0], [9.])
tf.compat.v1.scatter_add(V([1., 2.]), [0], [9.])
tf.compat.v1.scatter_nd_update(V([1., 2.]), [[0]], [9.])
tf.Variable(1., aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA).aggregation
tf.TensorArray(dtype=tf.float32, size=1).dtype
tf.TensorArray(tf.float32, 2, dynamic_size=True).dynamic_size
"""

SNIPPETS = """
v = tf.Variable([1., 2., 3.])
v.assign([4., 5., 6.])
v.assign_add([1., 1., 1.])
v.assign_sub([0.5, 0.5, 0.5])
v

v = tf.Variable([1., 2., 3.])
v[0].assign(9.)
v

v = tf.Variable([[1., 2., 3.], [4., 5., 6.]])
v[:, 1].assign([7., 8.])
v[1:, 2:].assign([[9.]])
v

v = tf.Variable([1., 2., 3., 4.])
v[::2].assign([10., 20.])
v[-1:].assign([0.])
v

v = tf.Variable([1, 2, 3])
w = v.assign([4, 5, 6])
w.assign_add([1, 1, 1])
[v.numpy(), w.numpy(), v is w]

v = tf.Variable([1., 2.], shape=tf.TensorShape(None))
v.assign([1., 2., 3.])
v.assign([[5.]])
[v, v.shape]

v = tf.Variable([1., 2.], shape=[None])
v.assign([1., 2., 3.])
v.numpy()

v = tf.Variable([1., 2., 3.])
v.scatter_add(tf.IndexedSlices(A([1., 1., 1.]), A([0, 0, 2])))
v.scatter_nd_update([[1]], [50.])
v.scatter_sub(tf.IndexedSlices(A([1.]), A([2], 'int64')))
v

v = tf.Variable(1.)
before = v.read_value()
v.assign(2.)
[before, v.read_value(), v.value()]

v = tf.Variable([1., 2.])
t = tf.convert_to_tensor(v)
v.assign([9., 9.])
t

v = tf.Variable(0)
for i in range(5):
    v.assign_add(i)
v.numpy()

v = tf.Variable([1., 2.])
@tf.function
def step(x):
    v.assign_add(x)
    return v * 2.
[step(A([1., 1.])), step(A([1., 1.])), v]

v = tf.Variable([3., -3.], constraint=lambda x: tf.clip_by_value(x, -1., 1.))
v.constraint(v)

import copy
v = tf.Variable([1., 2.], name='a')
w = copy.deepcopy(v)
w.assign([5., 6.])
[v, w]

class Net(tf.Module):
    def __init__(self):
        super().__init__(name='net')
        self.w = tf.Variable([1.], name='w')
        self.parts = [tf.Variable([2.], name='p'), tf.Variable([3.], trainable=False, name='q')]
net = Net()
[net.name, [v.name for v in net.variables], [v.name for v in net.trainable_variables],
    net.name_scope.name]

class Net(tf.Module):
    @tf.Module.with_name_scope
    def __call__(self, x):
        if not hasattr(self, 'w'):
            self.w = tf.Variable(tf.ones([2]), name='w')
        return x * self.w
net = Net(name='my')
[net(A([3., 4.])), net.w.name, [m.name for m in net.submodules]]

created = []
def creator(next_creator, **kwargs):
    created.append(kwargs.get('name'))
    kwargs['trainable'] = False
    return next_creator(**kwargs)
with tf.variable_creator_scope(creator):
    v = tf.Variable(1., name='x')
[created, v.trainable]

cs = tf.CriticalSection()
v = tf.Variable(0.)
cs.execute(lambda: v.assign_add(1.))

ta = tf.TensorArray(tf.float32, size=3)
ta = ta.write(0, 1.).write(1, 2.).write(2, 3.)
[ta.read(1), ta.stack(), ta.gather([0, 2]), ta.size()]

ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True, clear_after_read=False)
ta = ta.unstack(A([[1, 2], [3, 4]]))
ta = ta.write(2, [5, 6])
[ta.stack(), ta.concat(), ta.size(), ta.read(0), ta.read(0)]

ta = tf.TensorArray(tf.float32, size=2, infer_shape=False)
ta = ta.split(A([1., 2., 3.]), [1, 2])
[ta.read(0), ta.read(1)]

ta = tf.TensorArray(tf.float32, size=2, element_shape=[2])
ta = ta.scatter([1, 0], A([[1., 2.], [3., 4.]]))
ta.stack()

ema = tf.train.ExponentialMovingAverage(0.9)
v = tf.Variable(1.)
ema.apply([v])
v.assign(2.)
ema.apply([v])
ema.average(v)

v = tf.Variable([1., 2.])
tf.raw_ops.AssignAddVariableOp(resource=v.handle, value=A([1., 1.]))
tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32)

v = tf.Variable([1., 2.])
tf.raw_ops.ResourceApplyGradientDescent(var=v.handle, alpha=0.5, delta=A([1., 2.]))
v

v, m = tf.Variable([1., 2.]), tf.Variable([0.5, 0.5])
tf.raw_ops.ResourceApplyMomentum(var=v.handle, accum=m.handle, lr=0.1, grad=A([1., 2.]),
    momentum=0.9)
[v, m]

v, m, s = tf.Variable([1., 2.]), tf.Variable([0., 0.]), tf.Variable([0., 0.])
tf.raw_ops.ResourceApplyAdam(var=v.handle, m=m.handle, v=s.handle, beta1_power=0.9,
    beta2_power=0.999,
                             lr=0.1, beta1=0.9, beta2=0.999, epsilon=1e-7, grad=A([1., -2.]))
[v, m, s]
v = tf.compat.v1.get_variable('oracle_w', shape=[2], initializer=tf.compat.v1.ones_initializer())
[v, v.name]
"""

FAMILIES = [
    (
        "V([1, 2], '<d>').assign_<f>([1, 1])",
        {"d": "int8 int64 uint8 float16 bfloat16 float64 complex64", "f": "add sub"},
    ),
    (
        "V([1, 2, 3], '<d>').scatter_<f>(tf.IndexedSlices(A([2, 2], '<d>'), A([0, 2])))",
        {"d": "int32 float64 float16", "f": "add sub mul div max min update"},
    ),
]

ERRORS = """
tf.Variable()
tf.Variable(None)
tf.Variable([1, 'a'])
tf.Variable([1.5], dtype=tf.int32)
tf.Variable([1., 2.], shape=[3])
V([1., 2.]).assign([1., 2., 3.])
V([1., 2.]).assign(1.)
V([1., 2.]).assign(['a', 'b'])
V([1, 2]).assign([1.5, 2.5])
V([1., 2.]).assign_add([1., 2., 3.])
V([1., 2.]).assign_add(1.)
V(['a']).assign_add(['b'])
V([1., 2.]).scatter_add(tf.IndexedSlices(A([1.]), A([5])))
V([1., 2.]).scatter_add(A([1.]))
V([1., 2.]).scatter_nd_add([[3]], [1.])
V([1., 2.]).scatter_nd_add([[0, 0]], [1.])
V([1., 2.]).sparse_read([4])
V([1., 2.])[5]
V([1., 2.])['a']
V([1., 2.])[0].assign([1., 2.])
V([1., 2.]) + V([1., 2., 3.])
V([1.]) + V([1])
hash(V(1.))
{V(1.): 2}
V([1., 2.]).foo
bool(V([1., 2.]))
tf.Variable(lambda x: x)
tf.Variable(1., shape='a')
tf.TensorArray(tf.float32, size=2).read(5)
tf.TensorArray(tf.float32, size=1).write(3, 1.)
tf.TensorArray(tf.float32, size=2).write(0, 'a')
tf.TensorArray(tf.float32, size=2).stack()
tf.Variable(1., synchronization='never')
V([1., 2.]).__setitem__(0, 1.)
V([1.]) == None
"""
