"""Makes `import tensorflow` mean placewise: the import hook, and what it gives.

`placewise run` installs the hook. Beside the public names, programs and Keras import private
modules of TensorFlow; those are here too.
"""
