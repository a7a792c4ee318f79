"""Image operations: colour, geometry, resizing, boxes and quality measures."""

LINES = """
tf.image.adjust_brightness(R(2, 2, 3), 0.1)
tf.image.adjust_brightness(I(2, 2, 3, high=250, dtype='uint8'), 0.1)
tf.image.adjust_contrast(R(2, 2, 3), 2.)
tf.image.adjust_contrast(I(2, 2, 3, high=250, dtype='uint8'), 1.5)
tf.image.adjust_contrast(R(2, 2, 2, 1), contrast_factor=0.5)
tf.image.adjust_gamma(P(2, 2, 1), 2.), tf.image.adjust_gamma(P(2, 2, 1), gamma=0.5, gain=2.)
tf.image.adjust_gamma(I(2, 2, 1, high=250, dtype='uint8'), 0.7)
tf.image.adjust_hue(R(2, 2, 3, low=0, high=1), 0.2)
tf.image.adjust_hue(I(2, 2, 3, high=250, dtype='uint8'), -0.4)
tf.image.adjust_saturation(R(2, 2, 3, low=0, high=1), 0.5)
tf.image.adjust_saturation(R(1, 2, 3, low=0, high=1), 3.)
tf.image.rgb_to_grayscale(R(2, 2, 3))
tf.image.rgb_to_grayscale(I(1, 2, 2, 3, high=250, dtype='uint8'))
tf.image.grayscale_to_rgb(R(2, 2, 1)), tf.image.grayscale_to_rgb(I(1, 2, 1, dtype='uint8'))
tf.image.rgb_to_hsv(R(2, 2, 3, low=0, high=1)), tf.image.hsv_to_rgb(R(2, 2, 3, low=0, high=1))
tf.image.rgb_to_hsv(A([[[0., 0., 0.], [1., 1., 1.], [1., 0., 0.]]]))
tf.image.rgb_to_yiq(R(2, 3)), tf.image.yiq_to_rgb(R(2, 3)), tf.image.rgb_to_yuv(R(2, 3))
tf.image.yuv_to_rgb(R(2, 3))
tf.image.convert_image_dtype(A([[[0, 128, 255]]], 'uint8'), tf.float32)
tf.image.convert_image_dtype(A([0., 0.5, 1.0]), tf.uint8)
tf.image.convert_image_dtype(A([0., 0.5, 1.0]), tf.int16)
tf.image.convert_image_dtype(A([-1., 2.]), tf.uint8, saturate=True)
tf.image.convert_image_dtype(A([0.5]), tf.float64)
tf.image.convert_image_dtype(A([0, 255], 'uint8'), tf.uint16)
tf.image.convert_image_dtype(A([0, 65535], 'uint16'), tf.uint8)
tf.image.convert_image_dtype(A([0, 200], 'uint8'), dtype=tf.int8)
tf.image.convert_image_dtype(A([1, 2], 'uint8'), tf.uint8)
tf.image.convert_image_dtype(A([0, 255], 'uint8'), tf.float16)
tf.image.central_crop(R(4, 4, 1), 0.5), tf.image.central_crop(R(1, 5, 6, 1), 0.7)
tf.image.central_crop(R(4, 4, 1), 1.0)
tf.image.crop_to_bounding_box(R(4, 5, 1), 1, 2, 2, 3)
tf.image.crop_to_bounding_box(R(1, 4, 5, 1), 0, 0, 1, 1)
tf.image.crop_to_bounding_box(image=R(3, 3, 1), offset_height=1, offset_width=1, target_height=2,
  target_width=1)
tf.image.pad_to_bounding_box(R(2, 2, 1), 1, 2, 4, 5)
tf.image.pad_to_bounding_box(R(1, 2, 2, 1), 0, 0, 3, 2)
tf.image.resize_with_crop_or_pad(R(4, 4, 1), 2, 6)
tf.image.resize_with_crop_or_pad(R(1, 3, 3, 1), 5, 2)
tf.image.resize_with_pad(R(2, 4, 1), 4, 4)
tf.image.resize_with_pad(R(4, 2, 1), 3, 3, method='nearest')
tf.image.flip_left_right(R(2, 3, 1)), tf.image.flip_left_right(R(2, 2, 3, 1))
tf.image.flip_up_down(R(2, 3, 1))
tf.image.transpose(R(2, 3, 1)), tf.image.transpose(R(1, 2, 3, 1)), tf.image.rot90(R(2, 3, 1))
tf.image.rot90(R(2, 3, 1), k=2)
tf.image.rot90(R(1, 2, 3, 1), k=3), tf.image.rot90(R(2, 2, 1), 5)
tf.image.per_image_standardization(R(2, 2, 3))
tf.image.per_image_standardization(I(2, 2, 1, high=200, dtype='uint8'))
tf.image.per_image_standardization(tf.ones([2, 2, 1]))
tf.image.per_image_standardization(R(2, 2, 2, 1))
tf.image.resize(R(1, 2, 2, 1), [4, 4]), tf.image.resize(R(4, 4, 1), [2, 3])
tf.image.resize(R(2, 2, 1), (2, 2))
tf.image.resize(I(2, 2, 1, dtype='uint8'), [3, 3])
tf.image.resize(I(2, 2, 1, dtype='uint8'), [3, 3], 'nearest')
tf.image.resize(R(3, 5, 1), [6, 6], preserve_aspect_ratio=True)
tf.image.resize(R(6, 6, 1), [3, 2], antialias=True)
tf.image.resize(R(3, 3, 1), [5, 5], tf.image.ResizeMethod.BICUBIC)
tf.image.resize(images=R(3, 3, 1), size=A([2, 2]), method=tf.image.ResizeMethod.AREA)
tf.image.resize(R(1, 1, 1), [2, 2])
tf.compat.v1.image.resize_images(R(2, 2, 1), [4, 4])
tf.compat.v1.image.resize_images(R(2, 2, 1), [3, 3], align_corners=True)
tf.compat.v1.image.resize_bilinear(R(1, 2, 2, 1), [4, 4])
tf.compat.v1.image.resize_nearest_neighbor(R(1, 2, 2, 1), [3, 3])
tf.compat.v1.image.resize_bilinear(R(1, 2, 3, 1), [4, 4], align_corners=True)
tf.compat.v1.image.resize_bilinear(R(1, 2, 3, 1), [4, 4], half_pixel_centers=True)
tf.compat.v1.image.resize_nearest_neighbor(R(1, 3, 3, 1), [5, 5], align_corners=True)
tf.compat.v1.image.resize_bicubic(R(1, 3, 3, 1), [5, 5])
tf.compat.v1.image.resize_area(R(1, 4, 4, 1), [2, 3])
tf.compat.v1.image.resize_image_with_crop_or_pad(R(4, 4, 1), 2, 6)
tf.compat.v1.image.resize_image_with_pad(R(2, 4, 1), 4, 4)
tf.image.crop_and_resize(R(1, 4, 4, 1), A([[0., 0., 1., 1.], [0.2, 0.3, 0.8, 0.6]]), [0, 0], [2, 2])
tf.image.crop_and_resize(R(1, 4, 4, 1), A([[-0.5, -0.5, 1.5, 1.5]]), [0], [3, 3],
  extrapolation_value=9.)
tf.image.crop_and_resize(R(2, 4, 4, 1), boxes=A([[0., 0., 0.5, 0.5]]), box_indices=[1],
  crop_size=[2, 2], method='nearest')
tf.image.crop_and_resize(R(1, 4, 4, 1), A([[1., 1., 0., 0.]]), [0], [2, 2])
tf.image.draw_bounding_boxes(tf.zeros([1, 4, 4, 3]), A([[[0.1, 0.1, 0.8, 0.8]]]), A([[1., 0.5,
  0.]]))
tf.image.extract_patches(R(1, 4, 4, 1), [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'VALID')
tf.image.extract_patches(images=R(1, 3, 3, 2), sizes=[1, 2, 2, 1], strides=[1, 1, 1, 1], rates=[1,
  2, 2, 1], padding='SAME')
tf.image.extract_glimpse(R(1, 4, 4, 1), [2, 2], A([[0.5, -0.5]]), centered=True, normalized=True)
tf.image.extract_glimpse(R(1, 4, 4, 1), [2, 2], A([[1., 2.]]), centered=False, normalized=False)
tf.image.image_gradients(R(1, 3, 3, 1)), tf.image.sobel_edges(R(1, 3, 3, 1))
tf.image.total_variation(R(2, 3, 3, 1))
tf.image.psnr(R(2, 4, 4, 1, low=0, high=1), R(2, 4, 4, 1, seed=1, low=0, high=1), max_val=1.0)
tf.image.psnr(I(4, 4, 3, high=200, dtype='uint8'), I(4, 4, 3, seed=1, high=200, dtype='uint8'), 255)
tf.image.ssim(R(1, 12, 12, 1, low=0, high=1), R(1, 12, 12, 1, seed=1, low=0, high=1),
  1.0)  #: rtol=1e-4
tf.image.ssim(R(8, 8, 1, low=0, high=1), R(8, 8, 1, seed=1, low=0, high=1), max_val=1.0,
  filter_size=4, filter_sigma=1.0, k1=0.02, k2=0.05)  #: rtol=1e-4
tf.image.ssim_multiscale(R(1, 32, 32, 1, low=0, high=1), R(1, 32, 32, 1, low=0, high=1) * 0.9, 1.0,
  (0.5, 0.5), filter_size=5)  #: rtol=1e-4
tf.image.non_max_suppression(A([[0., 0., 1., 1.], [0., 0., 0.9, 1.], [2., 2., 3., 3.]]), A([0.9,
  0.8, 0.7]), 3)
tf.image.non_max_suppression(A([[0., 0., 1., 1.], [0., 0., 0.9, 1.], [2., 2., 3., 3.]]), A([0.9,
  0.8, 0.7]), max_output_size=2, iou_threshold=0.95, score_threshold=0.75)
tf.image.non_max_suppression_with_scores(A([[0., 0., 1., 1.], [0., 0., 0.9, 1.]]), A([0.9, 0.8]),
  2, soft_nms_sigma=0.5)
tf.image.non_max_suppression_overlaps(A([[1., 0.8], [0.8, 1.]]), A([0.9, 0.8]), 2,
  overlap_threshold=0.5)
tf.image.non_max_suppression_padded(A([[0., 0., 1., 1.], [0., 0., 0.9, 1.], [2., 2., 3., 3.]]),
  A([0.9, 0.8, 0.7]), 3, pad_to_max_output_size=True)
tf.image.non_max_suppression_padded(A([[[0., 0., 1., 1.], [0., 0., 0.9, 1.]]]), A([[0.9, 0.8]]), 2,
  pad_to_max_output_size=True, sorted_input=True, canonicalized_coordinates=True)
tf.image.combined_non_max_suppression(A([[[[0., 0., 1., 1.]], [[0., 0., 0.9, 1.]], [[0.5, 0.5, 1.,
  1.]]]]), A([[[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]]]), 2, 3)
tf.image.combined_non_max_suppression(A([[[[0., 0., 1., 1.]], [[0., 0., 0.9, 1.]]]]), A([[[0.9],
  [0.8]]]), max_output_size_per_class=2, max_total_size=2, iou_threshold=0.95,
  score_threshold=0.85, pad_per_class=True, clip_boxes=False)
tf.image.central_crop(R(4, 4, 1), central_fraction=0.5)
tf.image.crop_and_resize(image=R(1, 3, 3, 1), boxes=A([[0., 0., 1., 1.]]), box_indices=[0],
  crop_size=[2, 2])
tf.image.resize(R(2, 2, 1), [3, 3], method=tf.image.ResizeMethod.NEAREST_NEIGHBOR)
tf.image.resize(R(2, 2, 1), [3, 3], method=tf.image.ResizeMethod.BILINEAR)
tf.image.stateless_random_jpeg_quality(tf.fill([8, 8, 3], A(50, 'uint8')), 75, 95, [1, 2])
tf.image.random_jpeg_quality(tf.fill([8, 8, 3], A(50, 'uint8')), 75, 95, seed=1)
tf.shape(tf.image.random_brightness(R(2, 2, 3), max_delta=0.1))
tf.shape(tf.image.random_contrast(R(2, 2, 3), lower=0.5, upper=1.5))
tf.shape(tf.image.random_hue(P(2, 2, 3) / 2., max_delta=0.1))
tf.image.sample_distorted_bounding_box(image_size=[9, 9, 3], bounding_boxes=A([[[0., 0., 1.,
  1.]]]), seed=1)[2].shape
"""

_COLORS = (
    "rgb_to_hsv hsv_to_rgb rgb_to_grayscale rgb_to_yuv flip_left_right rot90 "
    "per_image_standardization"
)
FAMILIES = [
    (
        "tf.image.resize(R(1, 3, 4, 1), [<h>, <w>], '<m>', antialias=<a>)",
        {
            "h": "2 5",
            "w": "3 7",
            "a": "True False",
            "m": "bilinear nearest bicubic area lanczos3 lanczos5 gaussian mitchellcubic",
        },
        {"rtol": 1e-4, "atol": 1e-5},
    ),
    (
        "tf.image.resize(I(3, 3, 1, dtype='<d>'), [2, 4], '<m>')",
        {"d": "int32 int8 float16 bfloat16 float64", "m": "bilinear nearest bicubic area"},
        {"rtol": 1e-3},
    ),
    (
        "tf.image.convert_image_dtype(I(3, high=100, dtype='<a>'), '<b>')",
        {"a": "uint8 int16 int32", "b": "uint8 uint16 int32 float32 float64 int8"},
    ),
    ("tf.image.<f>(R(2, 2, 3, low=0, high=1, dtype='float16'))", {"f": _COLORS}),
    # Gray is computed in float32: processors add its three products in different orders.
    ("tf.image.<f>(R(2, 2, 3, low=0, high=1, dtype='float64'))", {"f": _COLORS}, {"rtol": 1e-6}),
]

ERRORS = """
tf.image.adjust_hue(R(2, 2, 3), 2.)
tf.image.adjust_hue(R(2, 2, 2), 0.1)
tf.image.adjust_saturation(R(2, 2, 1), 0.1)
tf.image.adjust_gamma(P(2, 2, 1), -1.)
tf.image.adjust_contrast(R(2, 2), 2.)
tf.image.rgb_to_grayscale(R(2, 2, 2))
tf.image.grayscale_to_rgb(R(2, 2, 3))
tf.image.rgb_to_hsv(R(2, 2, 4))
tf.image.rgb_to_hsv(I(2, 2, 3, dtype='uint8'))
tf.image.convert_image_dtype(A(['a']), tf.float32)
tf.image.central_crop(R(4, 4, 1), 1.5)
tf.image.central_crop(R(4, 4, 1), 0.)
tf.image.central_crop(R(4, 4), 0.5)
tf.image.crop_to_bounding_box(R(4, 5, 1), 3, 2, 2, 3)
tf.image.crop_to_bounding_box(R(4, 5, 1), -1, 2, 2, 3)
tf.image.crop_to_bounding_box(R(4, 5), 0, 0, 2, 3)
tf.image.pad_to_bounding_box(R(2, 2, 1), 1, 2, 2, 5)
tf.image.pad_to_bounding_box(R(2, 2, 1), -1, 2, 4, 5)
tf.image.resize_with_crop_or_pad(R(4, 4, 1), 0, 6)
tf.image.flip_left_right(R(2, 3))
tf.image.rot90(R(2, 3))
tf.image.transpose(R(2, 3))
tf.image.per_image_standardization(R(2, 3))
tf.image.resize(R(2, 3), [2, 2])
tf.image.resize(R(2, 3, 1), [2])
tf.image.resize(R(2, 3, 1), [-1, 2])
tf.image.resize(R(2, 3, 1), [2, 2], 'cubic')
tf.image.resize(R(2, 3, 1), 2)
tf.image.crop_and_resize(R(1, 4, 4, 1), A([[0., 0., 1., 1.]]), [1], [2, 2])
tf.image.crop_and_resize(R(1, 4, 4, 1), A([[0., 0., 1.]]), [0], [2, 2])
tf.image.crop_and_resize(R(1, 4, 4, 1), A([[0., 0., 1., 1.]]), [0], [0, 2])
tf.image.crop_and_resize(R(1, 4, 4, 1), A([[0., 0., 1., 1.]]), [0], [2, 2], method='area')
tf.image.draw_bounding_boxes(tf.zeros([1, 4, 4, 3]), A([[0.1, 0.1, 0.8, 0.8]]), A([[1., 0.5, 0.]]))
tf.image.extract_patches(R(1, 4, 4, 1), [1, 2, 2], [1, 2, 2, 1], [1, 1, 1, 1], 'VALID')
tf.image.extract_patches(R(1, 4, 4, 1), [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'HALF')
tf.image.image_gradients(R(3, 3, 1))
tf.image.total_variation(R(3, 3))
tf.image.psnr(R(4, 4, 1), R(4, 3, 1), 1.0)
tf.image.ssim(R(4, 4, 1), R(4, 4, 1), 1.0)
tf.image.non_max_suppression(A([[0., 0., 1.]]), A([0.9]), 3)
tf.image.non_max_suppression(A([[0., 0., 1., 1.]]), A([0.9, 0.8]), 3)
tf.image.non_max_suppression(A([[0., 0., 1., 1.]]), A([0.9]), 3, iou_threshold=2.)
tf.image.combined_non_max_suppression(A([[[0., 0., 1., 1.]]]), A([[[0.9]]]), 2, 3)
tf.image.stateless_random_crop(R(2, 2, 1), [3, 3, 1], [1, 2])
tf.image.stateless_random_flip_left_right(R(2, 2, 1), [1])
tf.image.generate_bounding_box_proposals(P(1, 2, 2, 1), R(1, 2, 2, 4) * 0.1, A([[32., 32., 1.]]),
  A([[0., 0., 15., 15.]]), post_nms_topn=3)
tf.image.decode_webp('not an image')
tf.image.decode_jxl('not an image')
"""
