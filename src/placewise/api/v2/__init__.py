"""The namespaces of TensorFlow 2: `tf.nn` is `nn`.

The table of the root, `tf` itself, is `placewise/__init__.pyi`.
"""
