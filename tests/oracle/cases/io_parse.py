"""Parsing and encoding: examples, CSV, raw bytes, tensors, compressed data and image files."""

LINES = r"""
tf.io.decode_raw(A(['\x01\x02\x03\x04']), tf.uint8), tf.io.decode_raw(b'\x01\x00\x02\x00', tf.int16)
tf.io.decode_raw(b'\x01\x00\x02\x00', tf.int16, little_endian=False)
tf.io.decode_raw(A([b'ab', b'cd']), tf.int8)
tf.io.decode_raw(b'\x00\x00\x80\x3f', tf.float32)
tf.io.decode_raw(input_bytes=b'', out_type=tf.uint8)
tf.io.decode_raw(A([b'abc', b'd']), tf.uint8, fixed_length=2)
tf.io.decode_raw(A([b'a']), tf.int16, fixed_length=4)
tf.io.decode_raw(b'\x01\x00', tf.bool), tf.io.decode_raw(b'\x00' * 8, tf.float64)
tf.io.decode_raw(b'\x00<', tf.float16)
tf.io.decode_csv(A(['1,2.5,a', '3,4.5,b']), [0, 0., ''])
tf.io.decode_csv('1,,x', [[5], [7.5], ['d']])
tf.io.decode_csv('1\t2', [0, 0], field_delim='\t'), tf.io.decode_csv('"a,b",c', ['', ''])
tf.io.decode_csv('"a""b"', [''])
tf.io.decode_csv('"a,b', ['', ''], use_quote_delim=False)
tf.io.decode_csv('NA,1', [9, 9], na_value='NA')
tf.io.decode_csv('1,2,3', [0, 0], select_cols=[0, 2])
tf.io.decode_csv(records='5', record_defaults=[A([], 'int64')])
tf.io.decode_csv('1e3, 2', [0., 0.]), tf.io.decode_csv('1.5', [A([], 'float64')])
tf.io.serialize_tensor(A([1, 2])), tf.io.serialize_tensor(A(['a'])), tf.io.serialize_tensor(A(1.5))
tf.io.serialize_tensor(tf.zeros([0]))
tf.io.parse_tensor(tf.io.serialize_tensor(A([1, 2])), tf.int32)
tf.io.parse_tensor(tf.io.serialize_tensor(A([[1.5]])), out_type=tf.float32)
tf.io.parse_tensor(tf.io.serialize_tensor(A(['a', 'bc'])), tf.string)
tf.io.parse_tensor(tf.io.serialize_tensor(A([True])), tf.bool)
tf.io.decode_compressed(A([b'abc']))
tf.io.decode_compressed(__import__('zlib').compress(b'hello'), 'ZLIB')
tf.io.decode_compressed(__import__('gzip').compress(b'hello'), compression_type='GZIP')
tf.io.encode_base64('hello'), tf.io.decode_base64('aGVsbG8'), tf.io.encode_base64(b'\xff\xfe\xfd')
tf.io.encode_base64('a', pad=True)
tf.io.serialize_sparse(SP([[0]], [1], [2]))
tf.io.serialize_many_sparse(SP([[0, 0], [1, 0]], [1, 2], [2, 1])).shape
tf.io.decode_png(tf.io.encode_png(I(2, 3, 1, high=250, dtype='uint8')))
tf.io.decode_png(tf.io.encode_png(I(2, 3, 3, high=250, dtype='uint8')))
tf.io.decode_png(tf.io.encode_png(I(2, 2, 4, high=250, dtype='uint8')))
tf.io.decode_png(tf.io.encode_png(I(2, 2, 2, high=250, dtype='uint8')))
tf.io.decode_png(tf.io.encode_png(I(2, 2, 1, high=60000, dtype='uint16')), dtype=tf.uint16)
tf.io.decode_png(tf.io.encode_png(I(2, 2, 1, high=60000, dtype='uint16')))
tf.io.decode_png(tf.io.encode_png(I(2, 2, 3, high=250, dtype='uint8')), channels=1)
tf.io.decode_png(tf.io.encode_png(I(2, 2, 1, high=250, dtype='uint8')), channels=3)
tf.io.decode_png(tf.io.encode_png(I(2, 2, 3, high=250, dtype='uint8')), channels=4)
tf.io.decode_png(tf.io.encode_png(I(2, 2, 4, high=250, dtype='uint8')), channels=3)
tf.io.decode_image(tf.io.encode_png(I(2, 3, 3, high=250, dtype='uint8')))
tf.io.decode_image(tf.io.encode_png(I(2, 3, 3, high=250, dtype='uint8')), channels=1)
tf.io.decode_image(tf.io.encode_png(I(2, 2, 3, high=250, dtype='uint8')), dtype=tf.float32)
tf.image.decode_image(tf.io.encode_png(I(1, 1, 1, high=250, dtype='uint8')),
  expand_animations=False)
tf.image.decode_png(tf.image.encode_png(I(2, 2, 1, high=250, dtype='uint8'), compression=0))
tf.io.encode_png(I(1, 1, 1, dtype='uint8')).shape
tf.io.decode_png(tf.io.encode_png(I(2, 2, 2, 1, high=250, dtype='uint8'))[1])
tf.io.is_jpeg(tf.io.encode_png(I(1, 1, 1, dtype='uint8'))), tf.io.is_jpeg(b'\xff\xd8\xff\xe0')
tf.io.is_jpeg(tf.io.encode_jpeg(I(8, 8, 1, dtype='uint8'))), tf.image.is_jpeg('x')
tf.io.extract_jpeg_shape(tf.io.encode_jpeg(I(8, 6, 3, dtype='uint8')))
tf.image.extract_jpeg_shape(tf.io.encode_jpeg(I(8, 6, 1, dtype='uint8')), output_type=tf.int64)
tf.io.decode_jpeg(tf.io.encode_jpeg(tf.fill([8, 8, 1], A(77, 'uint8'))))
tf.io.decode_jpeg(tf.io.encode_jpeg(tf.fill([8, 8, 3], A(200, 'uint8')), quality=90))
tf.shape(tf.io.decode_jpeg(tf.io.encode_jpeg(I(9, 7, 3, high=250, dtype='uint8')), channels=1))
tf.io.decode_jpeg(tf.io.encode_jpeg(tf.fill([4, 4, 1], A(10, 'uint8'))), channels=3)
tf.shape(tf.image.decode_jpeg(tf.io.encode_jpeg(I(16, 16, 1, dtype='uint8')), ratio=2))
tf.io.decode_image(tf.io.encode_jpeg(tf.fill([4, 4, 1], A(10, 'uint8'))))
tf.shape(tf.io.decode_and_crop_jpeg(tf.io.encode_jpeg(I(8, 8, 1, dtype='uint8')), [1, 2, 3, 4]))
tf.image.decode_and_crop_jpeg(tf.io.encode_jpeg(tf.fill([8, 8, 1], A(50, 'uint8'))),
  crop_window=[0, 0, 2, 2])
tf.image.adjust_jpeg_quality(tf.fill([8, 8, 3], A(50, 'uint8')), 80)
tf.io.encode_jpeg(tf.fill([2, 2, 3], A(50, 'uint8')), format='rgb').shape
tf.io.encode_jpeg(tf.fill([2, 2, 1], A(50, 'uint8')), format='grayscale', quality=50).dtype
tf.io.matching_files('/no/such/dir/*.txt')
tf.compat.v1.decode_raw(b'ab', tf.uint8), tf.compat.v1.decode_csv('1,2', [[0], [0]])
tf.io.FixedLenFeature(shape=[2], dtype=tf.int64), tf.io.VarLenFeature(dtype=tf.string)
tf.io.FixedLenSequenceFeature([], dtype=tf.int64, allow_missing=True)
tf.io.decode_and_crop_jpeg(tf.io.encode_jpeg(tf.fill([8, 8, 1], A(50, 'uint8'))), [0, 0, 2, 2],
  channels=3)
tf.io.TFRecordOptions(compression_type='GZIP').compression_type
"""

SNIPPETS = r"""
bmp = (b'BM' + b'\x46\0\0\0' + b'\0\0\0\0' + b'\x36\0\0\0' + b'\x28\0\0\0' + b'\x02\0\0\0'
       + b'\x02\0\0\0' + b'\x01\0\x18\0' + b'\0\0\0\0' + b'\x10\0\0\0' + b'\0' * 16
       + bytes(range(16)))
tf.io.decode_bmp(bmp), tf.io.decode_image(bmp), tf.image.decode_bmp(bmp, channels=3)

gif = (b'GIF89a\x02\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\xff,\x00\x00\x00\x00'
       b'\x02\x00\x01\x00\x00\x02\x02D\n\x00;')
tf.io.decode_gif(gif), tf.io.decode_image(gif), tf.io.decode_image(gif, expand_animations=False)

ex = tf.train.Example(features=tf.train.Features(feature={
    'i': tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2, 3])),
    'f': tf.train.Feature(float_list=tf.train.FloatList(value=[0.5])),
    's': tf.train.Feature(bytes_list=tf.train.BytesList(value=[b'x', b'yz']))}))
tf.io.parse_single_example(ex.SerializeToString(), {
    'i': tf.io.FixedLenFeature([3], tf.int64), 'f': tf.io.FixedLenFeature([], tf.float32),
    's': tf.io.VarLenFeature(tf.string), 'd': tf.io.FixedLenFeature([], tf.float32,
        default_value=9.0)})

ex = tf.train.Example(features=tf.train.Features(feature={
    'i': tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2, 3]))})).SerializeToString()
tf.io.parse_single_example(ex, {'i': tf.io.FixedLenSequenceFeature([], tf.int64,
    allow_missing=True)})

ex = tf.train.Example(features=tf.train.Features(feature={
    'i': tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2, 3]))})).SerializeToString()
tf.io.parse_single_example(serialized=ex, features={'i': tf.io.RaggedFeature(tf.int64)})

def example(**features):
    return tf.train.Example(features=tf.train.Features(feature={
        k: tf.train.Feature(int64_list=tf.train.Int64List(value=v)) for k, v in features.items()
    })).SerializeToString()
tf.io.parse_example([example(a=[1], b=[1, 2]), example(a=[5], b=[])], {
    'a': tf.io.FixedLenFeature([1], tf.int64), 'b': tf.io.VarLenFeature(tf.int64)})

def example(**features):
    return tf.train.Example(features=tf.train.Features(feature={
        k: tf.train.Feature(int64_list=tf.train.Int64List(value=v)) for k, v in features.items()
    })).SerializeToString()
tf.io.parse_example([example(a=[1, 2]), example(a=[5])], {
    'a': tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True, default_value=-1),
    'z': tf.io.FixedLenFeature([2], tf.int64, default_value=[7, 8])})

def example(**features):
    return tf.train.Example(features=tf.train.Features(feature={
        k: tf.train.Feature(int64_list=tf.train.Int64List(value=v)) for k, v in features.items()
    })).SerializeToString()
tf.io.parse_example([example(a=[1, 2]), example(a=[5])], {
    'a': tf.io.RaggedFeature(tf.int64), 'm': tf.io.VarLenFeature(tf.int64)})

ex = tf.train.Example(features=tf.train.Features(feature={
    'at': tf.train.Feature(int64_list=tf.train.Int64List(value=[3, 0])),
    'v': tf.train.Feature(float_list=tf.train.FloatList(value=[0.5, 1.5]))})).SerializeToString()
tf.io.parse_example([ex], {'x': tf.io.SparseFeature('at', 'v', tf.float32, 5)})

ints = lambda v: tf.train.Feature(int64_list=tf.train.Int64List(value=v))
seq = tf.train.SequenceExample(
    context=tf.train.Features(feature={'c': ints([7])}),
    feature_lists=tf.train.FeatureLists(feature_list={
        's': tf.train.FeatureList(feature=[ints([1]), ints([2]), ints([3])])})).SerializeToString()
tf.io.parse_single_sequence_example(
    seq, context_features={'c': tf.io.FixedLenFeature([], tf.int64)},
    sequence_features={'s': tf.io.FixedLenSequenceFeature([], tf.int64)})

ints = lambda v: tf.train.Feature(int64_list=tf.train.Int64List(value=v))
seq = tf.train.SequenceExample(feature_lists=tf.train.FeatureLists(feature_list={
    's': tf.train.FeatureList(feature=[ints([1, 2]), ints([3])])})).SerializeToString()
tf.io.parse_sequence_example([seq], sequence_features={'s': tf.io.VarLenFeature(tf.int64)})

ex = tf.train.Example(features=tf.train.Features(feature={
    'i': tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -2]))}))
[ex.SerializeToString(),
    tf.train.Example.FromString(ex.SerializeToString()).features.feature['i'].int64_list.value[1]]

tf.io.decode_json_example('{"features": {"feature": {"a": {"int64List": {"value": ["5"]}}}}}')

#: raises=True
ex = tf.train.Example().SerializeToString()
tf.io.parse_single_example(ex, {'a': tf.io.FixedLenFeature([1], tf.int64)})

#: raises=True
ex = tf.train.Example(features=tf.train.Features(feature={
    'a': tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))})).SerializeToString()
tf.io.parse_single_example(ex, {'a': tf.io.FixedLenFeature([], tf.float32)})

#: raises=True
ex = tf.train.Example(features=tf.train.Features(feature={
    'a': tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))})).SerializeToString()
tf.io.parse_single_example(ex, {'a': tf.io.FixedLenFeature([3], tf.int64)})

import os, tempfile
path = os.path.join(tempfile.mkdtemp(), 'a.txt')
tf.io.write_file(path, 'some text')
[tf.io.read_file(path), len(tf.io.matching_files(path))]

import os, tempfile
path = os.path.join(tempfile.mkdtemp(), 'a.tfrecord')
with tf.io.TFRecordWriter(path) as writer:
    writer.write(b'one')
    writer.write(b'two' * 10)
[r.numpy() for r in tf.data.TFRecordDataset(path)], open(path, 'rb').read()

keys, values = A(['a', 'b']), A([1, 2], 'int64')
table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values),
    default_value=-1)
[table.lookup(A(['b', 'z', 'a'])), table.size(), table[A(['a'])], table.export()[1].shape]

table = tf.lookup.StaticVocabularyTable(
    tf.lookup.KeyValueTensorInitializer(A(['a', 'b']), A([0, 1], 'int64')), num_oov_buckets=3)
[table.lookup(A(['b', 'zzz', 'yy'])), table.size()]

import os, tempfile
path = os.path.join(tempfile.mkdtemp(), 'v.txt')
open(path, 'w').write('apple\npear\nplum\n')
init = tf.lookup.TextFileInitializer(
    path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
        tf.lookup.TextFileIndex.LINE_NUMBER)
tf.lookup.StaticHashTable(init, -1).lookup(A(['plum', 'fig']))

table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
table.insert(A(['a', 'b']), A([5, 6], 'int64'))
table.remove(A(['a']))
[table.lookup(A(['a', 'b'])), table.size()]
ex = tf.train.Example(features=tf.train.Features(feature={
    'i': tf.train.Feature(int64_list=tf.train.Int64List(value=[4]))})).SerializeToString()
tf.compat.v1.parse_single_example(ex, features={'i': tf.io.FixedLenFeature(shape=[],
    dtype=tf.int64)})

import os, tempfile
path = os.path.join(tempfile.mkdtemp(), 'v.txt')
open(path, 'w').write('a\tb\nc\td\n')
init = tf.lookup.TextFileInitializer(path, key_dtype=tf.string, key_index=0, value_dtype=tf.string,
                                     value_index=1, delimiter='\t')
tf.lookup.StaticHashTable(init, default_value='?').lookup(A(['a', 'c', 'x']))

init = tf.lookup.KeyValueTensorInitializer(keys=[1, 2], values=['x', 'y'], key_dtype=tf.int64,
                                           value_dtype=tf.string)
tf.lookup.StaticHashTable(init, default_value='?').lookup(A([2, 3], 'int64'))
"""

FAMILIES = [
    (
        "tf.io.parse_tensor(tf.io.serialize_tensor(I(2, 2, dtype='<d>')), '<d>')",
        {
            "d": "bool int8 int16 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float64 "
            "complex64"
        },
    ),
    (
        "tf.io.serialize_tensor(I(3, dtype='<d>'))",
        {
            "d": "bool int8 int16 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float64 "
            "complex64"
        },
    ),
    (
        "tf.io.decode_raw(bytes(range(8)), tf.<d>)",
        {"d": "int8 int16 int32 int64 uint8 uint16 float32 float64 complex64 string"},
    ),
]

ERRORS = r"""
tf.io.decode_raw(b'\x01\x02\x03', tf.int16)
tf.io.decode_raw(A([b'ab', b'c']), tf.uint8)
tf.io.decode_raw(A([1]), tf.uint8)
tf.io.decode_raw(b'a', tf.string)
tf.io.decode_csv('1,2', [0])
tf.io.decode_csv('a', [0])
tf.io.decode_csv('', [A([], 'int32')])
tf.io.decode_csv('1,2', [0, 0], field_delim='ab')
tf.io.decode_csv('"a', [''])
tf.io.decode_csv('99999999999', [0])
tf.io.parse_tensor(tf.io.serialize_tensor(A([1, 2])), tf.float32)
tf.io.parse_tensor('garbage', tf.float32)
tf.io.decode_png('not an image')
tf.io.decode_jpeg('not an image')
tf.io.decode_bmp('not an image')
tf.io.decode_gif('not an image')
tf.io.decode_image('not an image')
tf.io.decode_image(tf.io.encode_png(I(1, 1, 1, dtype='uint8')), channels=7)
tf.io.encode_png(R(2, 2, 1))
tf.io.encode_png(I(2, 2, dtype='uint8'))
tf.io.encode_png(I(2, 2, 5, dtype='uint8'))
tf.io.encode_jpeg(I(2, 2, 2, dtype='uint8'))
tf.io.encode_jpeg(I(2, 2, 1, dtype='uint8'), quality=200)
tf.io.decode_compressed(b'abc', 'GZIP')
tf.io.decode_compressed(b'abc', 'LZMA')
tf.io.read_file('/no/such/file')
tf.io.parse_single_example('garbage', {'a': tf.io.FixedLenFeature([1], tf.int64)})
tf.io.parse_single_example('', {})
tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=False) and tf.io.parse_example( [b''],
  {'a': tf.io.FixedLenSequenceFeature([], tf.int64)})
tf.io.parse_example([b''], {'a': tf.io.FixedLenFeature([None], tf.int64)})
tf.io.parse_example([b''], {'a': 5})
tf.io.decode_and_crop_jpeg(tf.io.encode_jpeg(I(8, 8, 1, dtype='uint8')), [0, 0, 20, 20])
tf.io.decode_csv('-7', [tf.int32])
tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(SP([[0, 0], [1, 0]], [1, 2], [2, 1])),
  tf.int32, rank=1)
"""
