"""tf.audio: WAV files decoded and encoded."""

from placewise.ops.signal.wav import decode_wav as decode_wav
from placewise.ops.signal.wav import encode_wav as encode_wav
