"""tf.strings of TensorFlow 1: functions on strings."""

from placewise.ops.strings.characters import lower as lower
from placewise.ops.strings.characters import strip as strip
from placewise.ops.strings.characters import upper as upper
from placewise.ops.strings.hash_buckets import to_hash_bucket_fast as to_hash_bucket_fast
from placewise.ops.strings.hash_buckets import to_hash_bucket_strong as to_hash_bucket_strong
from placewise.ops.strings.join import join as join
from placewise.ops.strings.join import ngrams as ngrams
from placewise.ops.strings.join import unsorted_segment_join as unsorted_segment_join
from placewise.ops.strings.numerals import as_string as as_string
from placewise.ops.strings.regex import regex_full_match as regex_full_match
from placewise.ops.strings.regex import regex_replace as regex_replace
from placewise.ops.strings.split import bytes_split as bytes_split
from placewise.ops.strings.string_format import format as format
from placewise.ops.strings.unicode import unicode_decode as unicode_decode
from placewise.ops.strings.unicode import unicode_decode_with_offsets as unicode_decode_with_offsets
from placewise.ops.strings.unicode import unicode_encode as unicode_encode
from placewise.ops.strings.unicode import unicode_script as unicode_script
from placewise.ops.strings.unicode import unicode_split as unicode_split
from placewise.ops.strings.unicode import unicode_split_with_offsets as unicode_split_with_offsets
from placewise.ops.strings.unicode import unicode_transcode as unicode_transcode
from placewise.tf1.ops_strings import length as length
from placewise.tf1.ops_strings import reduce_join as reduce_join
from placewise.tf1.ops_strings import split as split
from placewise.tf1.ops_strings import substr as substr
from placewise.tf1.ops_strings import to_hash_bucket as to_hash_bucket
from placewise.tf1.ops_strings import to_number as to_number
