"""A tone found in noise, spectrograms, filters and back again."""

import numpy as np
import tensorflow as tf

RATE = 800
time = np.arange(RATE) / RATE
rng = np.random.RandomState(3)
wave = (np.sin(2 * np.pi * 50 * time) + 0.5 * np.sin(2 * np.pi * 120 * time)).astype("float32")
noisy = wave + rng.normal(0, 0.5, RATE).astype("float32")

spectrum = tf.signal.rfft(noisy)
power = tf.abs(spectrum)
top = tf.math.top_k(power, 2).indices.numpy()
print("tones at", sorted(top.tolist()), spectrum.shape, spectrum.dtype.name)
print(
    "energy is kept:",
    np.allclose(
        tf.reduce_sum(noisy**2),
        tf.reduce_sum(tf.abs(tf.signal.fft(tf.cast(noisy, tf.complex64))) ** 2) / RATE,
        rtol=1e-3,
    ),
)

# Only the strong parts, back in time.
clean = tf.signal.irfft(tf.where(power > 100.0, spectrum, tf.zeros_like(spectrum)))
before, after = np.abs(noisy - wave).mean(), np.abs(clean - wave).mean()
print("less noise:", bool(after < 0.5 * before))

stft = tf.signal.stft(wave, frame_length=128, frame_step=64)
print("frames", stft.shape, tf.signal.frame(wave, 128, 64).shape)
back = tf.signal.inverse_stft(stft, 128, 64, window_fn=tf.signal.inverse_stft_window_fn(64))
print("there and back:", np.allclose(back[64:600], wave[64:600], atol=1e-3))
mel = tf.signal.linear_to_mel_weight_matrix(20, stft.shape[-1], RATE, 10.0, 400.0)
logs = tf.math.log(tf.tensordot(tf.abs(stft), mel, 1) + 1e-6)
coefficients = tf.signal.mfccs_from_log_mel_spectrograms(logs)
print("mfcc", coefficients.shape, bool(tf.reduce_all(tf.math.is_finite(coefficients))))
print(
    "windows %.3f %.3f"
    % (tf.reduce_sum(tf.signal.hann_window(16)), tf.reduce_sum(tf.signal.hamming_window(16)))
)
print(
    "dct",
    np.allclose(tf.signal.idct(tf.signal.dct(wave, norm="ortho"), norm="ortho"), wave, atol=1e-4),
)
image = tf.cast(rng.normal(size=(8, 8)), tf.complex64)
print(
    "2-D",
    np.allclose(tf.signal.ifft2d(tf.signal.fft2d(image)), image, atol=1e-4),
    np.allclose(tf.signal.fft2d(image), np.fft.fft2(image), atol=1e-3),
)
print("shifted", tf.signal.fftshift(tf.range(5)).numpy().tolist())
print("overlap", tf.signal.overlap_and_add(tf.ones([3, 4]), 2).numpy().tolist())

# A filter as a convolution: in time, and as a product of spectra.
kernel = np.array([0.25, 0.5, 0.25], "float32")
in_time = tf.nn.conv1d(noisy[None, :, None], kernel[:, None, None], 1, "SAME")[0, :, 0]
padded = tf.pad(kernel, [[0, RATE - 3]])
in_frequency = tf.signal.irfft(tf.signal.rfft(noisy) * tf.signal.rfft(padded))
print("both filters:", np.allclose(in_time[1:-1], in_frequency[2:], atol=1e-4))
with tf.GradientTape() as tape:
    x = tf.Variable(noisy)
    loss = tf.reduce_sum(tf.abs(tf.signal.rfft(x)) ** 2)
print("gradient", tape.gradient(loss, x).shape)
