"""tf.spectral of TensorFlow 1: Fourier and cosine transforms."""

from placewise.ops.signal.cosine import dct as dct
from placewise.ops.signal.cosine import idct as idct
from placewise.ops.signal.fourier import fft as fft
from placewise.ops.signal.fourier import fft2d as fft2d
from placewise.ops.signal.fourier import fft3d as fft3d
from placewise.ops.signal.fourier import ifft as ifft
from placewise.ops.signal.fourier import ifft2d as ifft2d
from placewise.ops.signal.fourier import ifft3d as ifft3d
from placewise.ops.signal.fourier import irfft as irfft
from placewise.ops.signal.fourier import irfft2d as irfft2d
from placewise.ops.signal.fourier import irfft3d as irfft3d
from placewise.ops.signal.fourier import rfft as rfft
from placewise.ops.signal.fourier import rfft2d as rfft2d
from placewise.ops.signal.fourier import rfft3d as rfft3d
