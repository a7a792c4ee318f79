"""TensorFlow's recorded answers and the tests that hold placewise to them."""
