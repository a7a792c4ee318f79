"""`tf.distribute.coordinator`: steps that workers run when they are free."""
