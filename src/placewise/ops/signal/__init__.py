"""Signal processing: Fourier transforms, frames, windows."""
