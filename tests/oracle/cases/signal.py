"""Fourier and cosine transforms, windows, frames and spectrograms of `tf.signal`."""

LINES = """
tf.signal.fft(R(4, dtype='complex64')), tf.signal.fft(R(2, 3, dtype='complex128'))
tf.signal.ifft(R(4, dtype='complex64'))
tf.signal.fft2d(R(2, 3, dtype='complex64')), tf.signal.ifft2d(R(2, 3, dtype='complex64'))
tf.signal.fft3d(R(2, 2, 2, dtype='complex64')), tf.signal.ifft3d(R(2, 2, 2, dtype='complex64'))
tf.signal.rfft(R(5)), tf.signal.rfft(R(2, 6)), tf.signal.rfft(R(6), fft_length=[4])
tf.signal.rfft(R(3), [8])
tf.signal.rfft(R(4, dtype='float64')), tf.signal.irfft(R(3, dtype='complex64'))
tf.signal.irfft(R(3, dtype='complex64'), [5])
tf.signal.rfft2d(R(3, 4)), tf.signal.irfft2d(R(3, 3, dtype='complex64'))
tf.signal.rfft2d(R(3, 4), fft_length=[2, 2])
tf.signal.rfft3d(R(2, 2, 4)), tf.signal.irfft3d(R(2, 2, 3, dtype='complex64'))
tf.signal.fftshift(tf.range(5)), tf.signal.fftshift(R(2, 4), axes=1)
tf.signal.ifftshift(tf.range(5))
tf.signal.fftshift(R(3, 4), axes=[0, 1]), tf.signal.ifftshift(R(3, 4))
tf.signal.dct(R(4)), tf.signal.dct(R(4), norm='ortho'), tf.signal.dct(R(4), type=1)
tf.signal.dct(R(4), type=3)
tf.signal.dct(R(4), type=4), tf.signal.dct(R(2, 6), n=4), tf.signal.dct(R(3), n=5)
tf.signal.dct(R(4), 3, norm='ortho')
tf.signal.idct(R(4)), tf.signal.idct(R(4), norm='ortho'), tf.signal.idct(R(4), type=3)
tf.signal.idct(R(4), type=1)
tf.signal.dct(R(4), type=4, norm='ortho'), tf.signal.dct(R(4, dtype='float64'))
tf.signal.frame(tf.range(9), 4, 2), tf.signal.frame(R(2, 6), 3, 2, pad_end=True)
tf.signal.frame(R(5, 2), 2, 1, axis=0)
tf.signal.frame(tf.range(5), frame_length=3, frame_step=2, pad_end=True, pad_value=-1)
tf.signal.frame(tf.range(3), 5, 1)
tf.signal.overlap_and_add(R(3, 4), 2), tf.signal.overlap_and_add(R(2, 3, 4), 4)
tf.signal.overlap_and_add(R(2, 2), 3)
tf.signal.hann_window(6), tf.signal.hann_window(5, periodic=False), tf.signal.hann_window(1)
tf.signal.hann_window(6, dtype=tf.float64)
tf.signal.hamming_window(6), tf.signal.hamming_window(5, periodic=False), tf.signal.vorbis_window(6)
tf.signal.kaiser_window(5), tf.signal.kaiser_window(5, beta=4.)
tf.signal.kaiser_bessel_derived_window(6)
tf.signal.stft(R(16), 8, 4), tf.signal.stft(R(2, 12), frame_length=6, frame_step=3, fft_length=8)
tf.signal.stft(R(10), 8, 4, pad_end=True), tf.signal.stft(R(16), 8, 4, window_fn=None)
tf.signal.stft(R(16), 8, 4, window_fn=tf.signal.hamming_window)
tf.signal.inverse_stft(tf.signal.stft(R(16), 8, 4), 8, 4)
tf.signal.inverse_stft(tf.signal.stft(R(16), 8, 4), 8, 4, window_fn=None)
tf.signal.inverse_stft_window_fn(4)(8, tf.float32)
tf.signal.inverse_stft(tf.signal.stft(R(16), 8, 4), 8, 4,
  window_fn=tf.signal.inverse_stft_window_fn(4))
tf.signal.mdct(R(16), 8), tf.signal.mdct(R(14), 8, pad_end=True, norm='ortho')
tf.signal.inverse_mdct(R(3, 4))
tf.signal.mdct(R(16), 8, window_fn=None), tf.signal.inverse_mdct(R(3, 4), norm='ortho')
tf.signal.linear_to_mel_weight_matrix(4, 9, 8000, 125., 3800.)
tf.signal.linear_to_mel_weight_matrix(num_mel_bins=3, num_spectrogram_bins=8, sample_rate=16000,
  lower_edge_hertz=80.0, upper_edge_hertz=7600.0, dtype=tf.float64)
tf.signal.mfccs_from_log_mel_spectrograms(R(2, 5))
tf.signal.mfccs_from_log_mel_spectrograms(R(2, 5))[..., :3]
tf.audio.encode_wav(R(8, 1, low=-1, high=1), 8000)
tf.audio.encode_wav(R(4, 2, low=-1, high=1), sample_rate=16000)
tf.audio.decode_wav(tf.audio.encode_wav(R(8, 1, low=-1, high=1), 8000))
tf.audio.decode_wav(tf.audio.encode_wav(R(4, 2, low=-1, high=1), 16000), desired_channels=1)
tf.audio.decode_wav(tf.audio.encode_wav(R(4, 1, low=-1, high=1), 16000), desired_channels=1,
  desired_samples=6)
"""

FAMILIES = [
    (
        "tf.signal.<f>_window(<n>, periodic=<p>)",
        {"f": "hann hamming", "n": "1 2 4 7", "p": "True False"},
    ),
    ("tf.signal.dct(R(2, 5), type=<t>, norm=<n>)", {"t": "1 2 3 4", "n": "None 'ortho'"}),
    ("tf.signal.rfft(R(2, 5), fft_length=[<n>])", {"n": "1 2 4 5 8"}),
    ("tf.signal.irfft(R(2, 4, dtype='complex64'), fft_length=[<n>])", {"n": "2 5 6 9"}),
]

ERRORS = """
tf.signal.fft(R(4))
tf.signal.fft(A(1j))
tf.signal.rfft(R(4, dtype='complex64'))
tf.signal.rfft(R(4), fft_length=[4, 4])
tf.signal.fft2d(R(4, dtype='complex64'))
tf.signal.dct(R(4), type=5)
tf.signal.dct(R(4), norm='forward')
tf.signal.dct(R(4), type=1, norm='ortho')
tf.signal.dct(A([1, 2]))
tf.signal.frame(R(4), [1, 2], 1)
tf.signal.frame(A(1.), 1, 1)
tf.signal.overlap_and_add(R(4), 2)
tf.signal.hann_window(5, dtype=tf.int32)
tf.signal.linear_to_mel_weight_matrix(0)
tf.signal.linear_to_mel_weight_matrix(4, 9, 8000, 125., 5000.)
tf.signal.linear_to_mel_weight_matrix(4, 9, 8000, 3800., 125.)
tf.signal.mdct(R(16), 7)
tf.signal.stft(A([1, 2, 3]), 2, 1)
tf.audio.decode_wav('not a wav')
tf.audio.encode_wav(R(4), 8000)
tf.signal.fftnd(R(2, 4, dtype='complex64'), axes=[0, 1])
tf.signal.ifftnd(R(2, 4, dtype='complex64'), axes=[1])
tf.signal.rfftnd(R(2, 4), axes=[1])
tf.signal.irfftnd(R(2, 3, dtype='complex64'), axes=[1])
tf.fftnd(R(4, dtype='complex64'), [4], [0])
tf.ifftnd(R(4, dtype='complex64'), [4], [0])
tf.rfftnd(R(4), [4], [0])
tf.irfftnd(R(3, dtype='complex64'), [4], [0])
"""
