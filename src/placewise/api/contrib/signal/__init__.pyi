"""Names of tf.contrib.signal."""

from placewise.ops.signal.frames import frame as frame
from placewise.ops.signal.frames import overlap_and_add as overlap_and_add
from placewise.ops.signal.mel import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from placewise.ops.signal.spectral import inverse_stft as inverse_stft
from placewise.ops.signal.spectral import inverse_stft_window_fn as inverse_stft_window_fn
from placewise.ops.signal.spectral import stft as stft
from placewise.ops.signal.windows import hamming_window as hamming_window
from placewise.ops.signal.windows import hann_window as hann_window
from placewise.ops.signal.mel import mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms
