"""tf.signal: Fourier and cosine transforms, windows, frames, spectrograms."""

from placewise.ops.signal.cosine import dct as dct
from placewise.ops.signal.cosine import idct as idct
from placewise.ops.signal.fourier import fft as fft
from placewise.ops.signal.fourier import fft2d as fft2d
from placewise.ops.signal.fourier import fft3d as fft3d
from placewise.ops.signal.fourier import fftshift as fftshift
from placewise.ops.signal.fourier import ifft as ifft
from placewise.ops.signal.fourier import ifft2d as ifft2d
from placewise.ops.signal.fourier import ifft3d as ifft3d
from placewise.ops.signal.fourier import ifftshift as ifftshift
from placewise.ops.signal.fourier import irfft as irfft
from placewise.ops.signal.fourier import irfft2d as irfft2d
from placewise.ops.signal.fourier import irfft3d as irfft3d
from placewise.ops.signal.fourier import rfft as rfft
from placewise.ops.signal.fourier import rfft2d as rfft2d
from placewise.ops.signal.fourier import rfft3d as rfft3d
from placewise.ops.signal.fourier_axes import fftnd as fftnd
from placewise.ops.signal.fourier_axes import ifftnd as ifftnd
from placewise.ops.signal.fourier_axes import irfftnd as irfftnd
from placewise.ops.signal.fourier_axes import rfftnd as rfftnd
from placewise.ops.signal.frames import frame as frame
from placewise.ops.signal.frames import overlap_and_add as overlap_and_add
from placewise.ops.signal.mel import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from placewise.ops.signal.mel import (
    mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms,
)
from placewise.ops.signal.spectral import inverse_mdct as inverse_mdct
from placewise.ops.signal.spectral import inverse_stft as inverse_stft
from placewise.ops.signal.spectral import inverse_stft_window_fn as inverse_stft_window_fn
from placewise.ops.signal.spectral import mdct as mdct
from placewise.ops.signal.spectral import stft as stft
from placewise.ops.signal.windows import hamming_window as hamming_window
from placewise.ops.signal.windows import hann_window as hann_window
from placewise.ops.signal.windows import (
    kaiser_bessel_derived_window as kaiser_bessel_derived_window,
)
from placewise.ops.signal.windows import kaiser_window as kaiser_window
from placewise.ops.signal.windows import vorbis_window as vorbis_window
