"""Nested structures: flatten, pack, map, compare."""

LINES = """
tf.nest.pack_sequence_as(5, [7])
tf.nest.flatten([1, [2, (3, 4)]]), tf.nest.flatten(5), tf.nest.flatten({'b': 1, 'a': [2, 3]})
tf.nest.flatten(None), tf.nest.flatten([]), tf.nest.flatten({}), tf.nest.flatten([None, [None]])
tf.nest.flatten('abc'), tf.nest.flatten([A([1, 2]), 'x']), tf.nest.flatten(np.array([1, 2]))
tf.nest.flatten({3: 1, 1: 2, 2: 3}), tf.nest.flatten(({'z': 1, 'y': 2}, [3]))
tf.nest.flatten(SP([[0]], [1.], [2])), tf.nest.flatten(SP([[0]], [1.], [2]), expand_composites=True)
tf.nest.flatten(RAG([[1], [2, 3]]), expand_composites=True)
tf.nest.map_structure(lambda x: x + 1, [1, (2, {'a': 3})])
tf.nest.map_structure(lambda x, y: x + y, {'a': 1, 'b': [2]}, {'a': 10, 'b': [20]})
tf.nest.map_structure(tf.square, {'a': A([1., 2.]), 'b': (A(3.),)})
tf.nest.map_structure(str, 5), tf.nest.map_structure(len, ['ab', ('c',)])
tf.nest.map_structure(str, [])
tf.nest.map_structure(lambda x, y: (x, y), [1, 2], (3, 4), check_types=False)
tf.nest.pack_sequence_as([1, (2, 3)], [10, 20, 30])
tf.nest.pack_sequence_as({'b': 1, 'a': 2}, [10, 20])
tf.nest.pack_sequence_as(None, ['x']), tf.nest.pack_sequence_as({'x': {'y': 1}}, [9])
tf.nest.is_nested([1]), tf.nest.is_nested({}), tf.nest.is_nested('a'), tf.nest.is_nested(A([1]))
tf.nest.is_nested((1,)), tf.nest.is_nested(np.ones(2)), tf.nest.is_nested(None)
tf.nest.is_nested({1, 2})
tf.nest.assert_same_structure([1, (2,)], ['a', ('b',)])
tf.nest.assert_same_structure([1], (1,), check_types=False), tf.nest.assert_same_structure(1, 'a')
"""

SNIPPETS = """
from collections import namedtuple
Point = namedtuple('Point', 'x y')
tf.nest.map_structure(lambda v: v * 2, Point(1, [2, 3])), tf.nest.flatten(Point(1, [2, 3]))

from collections import OrderedDict
d = OrderedDict([('z', 1), ('a', 2)])
list(tf.nest.map_structure(lambda v: v + 1, d).items()), tf.nest.flatten(d)

from collections import defaultdict
d = defaultdict(list, b=1, a=2)
tf.nest.flatten(d), dict(tf.nest.pack_sequence_as(d, [5, 6]))

from collections import namedtuple
Point = namedtuple('Point', 'x y')
tf.nest.pack_sequence_as(Point(0, (0,)), [A(1), A(2)])

#: raises=True
from collections import namedtuple
One, Two = namedtuple('One', 'x'), namedtuple('Two', 'x')
tf.nest.assert_same_structure(One(1), Two(1))
"""

ERRORS = """
tf.nest.map_structure(lambda x, y: x, [1, 2], [1, 2, 3])
tf.nest.map_structure(lambda x, y: x, [1, 2], (1, 2))
tf.nest.map_structure(lambda x, y: x, [1, [2]], [1, 2])
tf.nest.map_structure(lambda x, y: x, {'a': 1}, {'b': 1})
tf.nest.map_structure(5, [1])
tf.nest.map_structure(lambda: 1)
tf.nest.pack_sequence_as([1, 2], [1])
tf.nest.pack_sequence_as([1, 2], [1, 2, 3])
tf.nest.pack_sequence_as(5, [1, 2])
tf.nest.pack_sequence_as([1], 5)
tf.nest.assert_same_structure([1], [1, 2])
tf.nest.assert_same_structure([1], (1,))
tf.nest.assert_same_structure([1], 1)
tf.nest.assert_same_structure({'a': 1}, {'b': 1})
tf.nest.assert_same_structure([1, [2]], [[1], 2])
tf.nest.flatten({1: 1, 'a': 2})
tf.nest.map_structure(lambda t: t * 2., SP([[0]], [1.], [2]), expand_composites=True)
tf.nest.pack_sequence_as((1, [2]), iter([3, 4]))
"""
