"""Pictures turned, cropped, coloured and resized, one by one and in a pipeline."""

import numpy as np
import tensorflow as tf

picture = tf.cast(tf.reshape(tf.range(4 * 6 * 3) * 3, [4, 6, 3]), tf.uint8)
grey = tf.image.rgb_to_grayscale(picture)
print("grey", grey.shape, "back", tf.image.grayscale_to_rgb(grey).shape)
print("left-right", tf.image.flip_left_right(picture)[0, 0].numpy().tolist())
print("turned", tf.image.rot90(picture).shape, tf.image.transpose(picture).shape)
print(
    "crop",
    tf.image.central_crop(picture, 0.5).shape,
    tf.image.crop_to_bounding_box(picture, 1, 1, 2, 3).shape,
)
print(
    "pad",
    tf.image.resize_with_crop_or_pad(picture, 8, 4).shape,
    tf.image.pad_to_bounding_box(picture, 1, 1, 6, 8).shape,
)

floats = tf.image.convert_image_dtype(picture, tf.float32)
print("range", round(float(tf.reduce_max(floats)), 3))
for method in ("nearest", "bilinear", "bicubic", "area", "lanczos3"):
    resized = tf.image.resize(floats, [2, 3], method=method)
    print(method.ljust(9), resized.shape, "%.3f" % float(tf.reduce_mean(resized)))
print("aspect", tf.image.resize_with_pad(floats, 6, 6).shape)

brighter = tf.image.adjust_brightness(floats, 0.1)
print("brighter by %.2f" % float(tf.reduce_mean(brighter - floats)))
hsv = tf.image.rgb_to_hsv(floats)
print("there and back:", np.allclose(tf.image.hsv_to_rgb(hsv), floats, atol=1e-5))
print(
    "contrast %.3f" % float(tf.reduce_max(tf.image.adjust_contrast(floats, 2.0))),
    "saturation %.3f" % float(tf.reduce_min(tf.image.adjust_saturation(floats, 0.5))),
    "gamma %.3f" % float(tf.reduce_mean(tf.image.adjust_gamma(floats, 2.0))),
    "hue %.3f" % float(tf.reduce_mean(tf.image.adjust_hue(floats, 0.3))),
)
standard = tf.image.per_image_standardization(floats)
print(
    "standard %.2f %.2f"
    % (abs(float(tf.reduce_mean(standard))), float(tf.math.reduce_std(standard)))
)
print(
    "edges",
    tf.image.sobel_edges(floats[None]).shape,
    "variation > 0:",
    bool(tf.image.total_variation(floats) > 0),
)
print("psnr %.2f" % float(tf.image.psnr(floats, brighter, 1.0)))
boxes = tf.constant([[0.0, 0.0, 0.5, 0.5], [0.25, 0.25, 1.0, 1.0]])
print("boxes", tf.image.crop_and_resize(floats[None], boxes, [0, 0], [2, 2]).shape)
kept = tf.image.non_max_suppression(
    [[0, 0, 1, 1], [0, 0, 1, 0.9], [0.5, 0.5, 1, 1.0]], [0.9, 0.8, 0.7], 3, 0.5
)
print("kept", kept.numpy().tolist())
encoded = tf.io.encode_jpeg(picture, quality=95)
print("jpeg", tf.io.decode_jpeg(encoded).shape, tf.io.decode_image(tf.io.encode_png(picture)).shape)

tf.random.set_seed(3)


def augment(image, label):
    image = tf.image.convert_image_dtype(image, tf.float32)
    image = tf.image.resize_with_crop_or_pad(image, 8, 10)
    image = tf.image.random_crop(image, [4, 6, 3])
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, 0.2)
    image = tf.image.random_contrast(image, 0.8, 1.2)
    return tf.clip_by_value(image, 0.0, 1.0), label


data = (
    tf.data.Dataset.from_tensors((picture, 1)).repeat(8).map(augment, num_parallel_calls=2).batch(8)
)
for images, labels in data:
    different = {image.numpy().tobytes() for image in images}
    print("augmented", images.shape, int(tf.reduce_sum(labels)), "different:", len(different) > 5)
one = tf.image.stateless_random_flip_up_down(picture, seed=(1, 2))
print(
    "same seed, same picture:",
    bool(tf.reduce_all(one == tf.image.stateless_random_flip_up_down(picture, seed=(1, 2)))),
)
