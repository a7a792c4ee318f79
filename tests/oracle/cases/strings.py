"""String tensors: joins, splits, regular expressions, numbers, hashes and Unicode."""

LINES = r"""
tf.strings.join(['a', 'b', 'c'])
tf.strings.join([A(['a', 'b']), A(['c', 'd'])], separator='-')
tf.strings.join([A(['a', 'b']), 'x'])
tf.strings.join(inputs=[A([['a']]), ' ', A([['b']])], separator=' ')
tf.strings.join([])
tf.strings.reduce_join(A(['a', 'b', 'c']))
tf.strings.reduce_join(A([['a', 'b'], ['c', 'd']]), axis=0)
tf.strings.reduce_join(A([['a', 'b'], ['c', 'd']]), axis=-1, separator=' ', keepdims=True)
tf.strings.reduce_join(A([['a', 'b'], ['c', 'd']]), axis=[0, 1])
tf.strings.reduce_join(A([['a', 'b'], ['c', 'd']]), axis=[1, 0])
tf.strings.length(A(['a', '', 'héé']))
tf.strings.length(A(['a', '', 'héé']), unit='UTF8_CHAR')
tf.strings.length('abc')
tf.strings.lower(A(['ABC', 'Éa'])), tf.strings.upper(A(['abc', 'éa']))
tf.strings.lower(A(['ÉA']), encoding='utf-8'), tf.strings.upper(A(['éa']), encoding='utf-8')
tf.strings.strip(A([' a b ', '\t\nx', '']))
tf.strings.substr(A(['hello', 'world']), 1, 3)
tf.strings.substr(A(['hello', 'world']), [1, 2], [2, 3])
tf.strings.substr('hello', -3, 2)
tf.strings.substr('hello', 0, 100)
tf.strings.substr('hello', pos=2, len=0)
tf.strings.substr('héllo', 1, 2, unit='UTF8_CHAR')
tf.strings.substr(A([['ab'], ['cd']]), A([0, 1]), A([1, 1]))
tf.strings.split('a b  c')
tf.strings.split(A(['a b', 'c d e', '']))
tf.strings.split(A(['a,b', 'c,,d']), sep=',')
tf.strings.split('a--b-c', sep='--')
tf.strings.split(A(['a b c']), maxsplit=1)
tf.strings.split(A([['a b'], ['c']]))
tf.strings.split(input='x', sep='')
tf.strings.bytes_split('abc'), tf.strings.bytes_split(A(['ab', '', 'c']))
tf.strings.regex_full_match(A(['abc', 'abd', 'xabc']), 'ab[cd]')
tf.strings.regex_full_match('a1', A('.[0-9]'))
tf.strings.regex_replace(A(['a1b22', 'c']), '[0-9]+', '#')
tf.strings.regex_replace('aaa', 'a', 'b', replace_global=False)
tf.strings.regex_replace('hello world', '(\\w+) (\\w+)', r'\2 \1')
tf.strings.regex_replace(input=A(['<b>x</b>']), pattern='<[^>]*>', rewrite='')
tf.strings.regex_replace('a.b', '[%s]' % '.', ' ')
tf.strings.to_number(A(['1.5', '-2', '1e3', 'inf', 'nan']))
tf.strings.to_number('7', tf.int32), tf.strings.to_number('7', out_type=tf.int64)
tf.strings.to_number(A(['1.5']), tf.float64), tf.strings.to_number(' 3 ', tf.int32)
tf.strings.as_string(A([1, -2])), tf.strings.as_string(A([True, False]))
tf.strings.as_string(A([1.5, 1e10, nan, inf])), tf.strings.as_string(A([1.5], 'float64'))
tf.strings.as_string(A([3.14159]), precision=2), tf.strings.as_string(A([3.14159]), scientific=True)
tf.strings.as_string(A([0.1, 1e20]), shortest=True), tf.strings.as_string(A([5]), width=4)
tf.strings.as_string(A([5]), width=4, fill='0'), tf.strings.as_string(A([5]), width=4, fill='-')
tf.strings.as_string(A([1 + 2j])), tf.strings.as_string(A([3], 'int8'))
tf.strings.as_string(A(['a']))
tf.strings.as_string(A([1, 2], 'uint8')), tf.as_string(A([2.5], 'float16'))
tf.as_string(A([2], 'int64'))
tf.strings.format('x={}', A([1, 2])), tf.strings.format('{} {}', [A(1.5), A('a')])
tf.strings.format('{}', tf.range(10)), tf.strings.format('{}', tf.range(10), summarize=-1)
tf.strings.format('a#b', A([[1, 2], [3, 4]]), placeholder='#', summarize=1)
tf.strings.to_hash_bucket(A(['a', 'b', '']), 10)
tf.strings.to_hash_bucket('hello', num_buckets=1000)
tf.strings.to_hash_bucket_fast(A(['a', 'b', '']), 10)
tf.strings.to_hash_bucket_fast(input=A(['hello', 'world',
  'a longer text that goes on and on' * 3]), num_buckets=2**31)
tf.strings.to_hash_bucket_fast(A(['x' * n for n in range(0, 70, 5)]), 2**40)
tf.strings.to_hash_bucket_strong(A(['a', 'b', '']), 10, [1, 2])
tf.strings.to_hash_bucket_strong(A(['hello', 'some longer text here']), 2**40, key=[123, 456])
tf.strings.ngrams(A(['a', 'b', 'c', 'd']), 2)
tf.strings.ngrams(A(['a', 'b', 'c']), [1, 2], separator='|')
tf.strings.ngrams(RAG([['a', 'b', 'c'], ['d']]), 2, pad_values=('<', '>'))
tf.strings.ngrams(RAG([['a', 'b', 'c'], ['d']]), 3, preserve_short_sequences=True)
tf.strings.ngrams(A(['a', 'b', 'c']), 3, pad_values='*', padding_width=1)
tf.strings.unsorted_segment_join(A(['a', 'b', 'c']), [1, 0, 1], 2, separator=':')
tf.strings.unicode_decode('héllo', 'UTF-8'), tf.strings.unicode_decode(A(['ab', 'ç']), 'UTF-8')
tf.strings.unicode_decode(b'a\xffb', 'UTF-8')
tf.strings.unicode_decode(b'a\xffb', 'UTF-8', errors='ignore')
tf.strings.unicode_decode('a\x01', 'UTF-8', replace_control_characters=True)
tf.strings.unicode_decode(b'\x00a\x00b', 'UTF-16-BE')
tf.strings.unicode_decode_with_offsets(A(['héa', 'b']), 'UTF-8')
tf.strings.unicode_encode([72, 233, 8364], 'UTF-8')
tf.strings.unicode_encode(RAG([[72, 101], [8364]]), output_encoding='UTF-16-BE')
tf.strings.unicode_encode([72, 0xD800], 'UTF-8', replacement_char=63)
tf.strings.unicode_split('héy', 'UTF-8')
tf.strings.unicode_split(A(['ab', 'ç']), input_encoding='UTF-8')
tf.strings.unicode_split_with_offsets(A(['ab', 'çd']), 'UTF-8')
tf.strings.unicode_transcode(A(['hé']), 'UTF-8', 'UTF-16-BE')
tf.strings.unicode_transcode(b'a\xffb', 'UTF-8', 'UTF-8', errors='replace', replacement_char=35)
tf.strings.unicode_script([65, 1488, 19968, 955]), tf.strings.unicode_script([0, 48])
tf.strings.substr(A([], tf.string), 0, 1), tf.strings.lower(A([], tf.string))
tf.compat.v1.string_split(['a b', 'c']), tf.compat.v1.string_to_number(['1.5'])
tf.compat.v1.string_join(['a', 'b']), tf.compat.v1.reduce_join(A([['a', 'b']]), axis=1)
tf.compat.v1.string_to_hash_bucket_fast(['a'], 5), tf.compat.v1.substr('hello', 1, 2)
tf.compat.v1.regex_replace('a1', '[0-9]', 'x')
tf.compat.v1.strings.split(A(['a b', 'c']), result_type='RaggedTensor')
A('a') + A('b'), A(['a', 'b']) + 'c', A(['a', 'b']) == A(['a', 'c']), A(['a', 'b'])[1]
tf.size(A(['a', 'b'])), tf.shape(A([['a']])), tf.reshape(A(['a', 'b']), [2, 1]), tf.rank(A('x'))
tf.io.encode_base64(A(['hello', 'a?>'])), tf.io.encode_base64('a', pad=True)
tf.io.decode_base64('aGVsbG8')
A('text').numpy(), A(['a', 'b']).numpy().tolist(), A('héa').numpy(), A(b'\xff\x00').numpy()
"""

FAMILIES = [
    (
        "tf.strings.as_string(I(3, dtype='<d>'))",
        {"d": "int8 int16 int64 uint8 uint16 uint32 uint64 bool"},
    ),
    (
        "tf.strings.as_string(A([1.25, -0.0, 1234567.], '<d>')<o>)",
        {
            "d": "float16 bfloat16 float32 float64",
            "o": ["", ", precision=3", ", scientific=True", ", shortest=True"],
        },
    ),
    (
        "tf.strings.to_number('<v>', tf.<d>)",
        {"v": "5 -5 5.5 abc 99999999999", "d": "int32 int64 float32 float64"},
    ),
    (
        "tf.strings.regex_full_match(['a1', 'B2', 'c 3', ''], '<p>')",
        {"p": [r"\\w\\d", "[a-z].*", "(?i)b2", ".*", r"[^\\s]*", "a|c 3", "^$"]},
    ),
    ("tf.strings.<f>(A([1, 2]))", {"f": "length lower upper strip bytes_split split reduce_join"}),
]

ERRORS = r"""
tf.strings.join([A(['a', 'b']), A(['c', 'd', 'e'])])
tf.strings.join([A([1]), A([2])])
tf.strings.reduce_join(A(['a']), axis=1)
tf.strings.length(A(['a']), unit='WORD')
tf.strings.substr('hello', 6, 1)
tf.strings.substr('hello', -6, 1)
tf.strings.substr(A(['a', 'b']), [0, 0, 0], [1, 1, 1])
tf.strings.substr('hello', 0.5, 1)
tf.strings.split(A([1]))
tf.strings.regex_full_match('a', '(')
tf.strings.regex_replace('a', '[', 'b')
tf.strings.to_number('abc')
tf.strings.to_number('1.5', tf.int32)
tf.strings.to_number('', tf.int32)
tf.strings.to_number('99999999999', tf.int32)
tf.strings.to_number('5', tf.string)
tf.strings.as_string(A([1.5]), scientific=True, shortest=True)
tf.strings.as_string(A([1]), scientific=True)
tf.strings.as_string(A([1]), fill='ab')
tf.strings.to_hash_bucket_fast(A(['a']), 0)
tf.strings.to_hash_bucket_fast(A([1]), 5)
tf.strings.to_hash_bucket_strong(A(['a']), 5, [1])
tf.strings.format('{} {}', A(1))
tf.strings.ngrams(A(['a']), 0)
tf.strings.unicode_decode('a', 'UTF-9')
tf.strings.unicode_decode(b'\xff', 'UTF-8', errors='strict')
tf.strings.unicode_encode([-5], 'UTF-8', errors='strict')
tf.strings.unicode_transcode('a', 'UTF-8', 'LATIN')
tf.strings.unsorted_segment_join(A(['a']), [2], 2)
tf.io.decode_base64('a')
tf.strings.lower('A', encoding='latin-1')
A('a') + 1
A('a') * 2
tf.strings.reduce_join(inputs=[], separator=',')
"""
