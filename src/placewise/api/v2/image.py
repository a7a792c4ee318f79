"""tf.image: images resized, cropped, recoloured, compared, read and written."""

from placewise.ops.image.adjustments import adjust_brightness as adjust_brightness
from placewise.ops.image.adjustments import adjust_contrast as adjust_contrast
from placewise.ops.image.adjustments import adjust_gamma as adjust_gamma
from placewise.ops.image.adjustments import adjust_hue as adjust_hue
from placewise.ops.image.adjustments import adjust_jpeg_quality as adjust_jpeg_quality
from placewise.ops.image.adjustments import adjust_saturation as adjust_saturation
from placewise.ops.image.adjustments import per_image_standardization as per_image_standardization
from placewise.ops.image.boxes import draw_bounding_boxes as draw_bounding_boxes
from placewise.ops.image.colors import grayscale_to_rgb as grayscale_to_rgb
from placewise.ops.image.colors import hsv_to_rgb as hsv_to_rgb
from placewise.ops.image.colors import rgb_to_grayscale as rgb_to_grayscale
from placewise.ops.image.colors import rgb_to_hsv as rgb_to_hsv
from placewise.ops.image.colors import rgb_to_yiq as rgb_to_yiq
from placewise.ops.image.colors import rgb_to_yuv as rgb_to_yuv
from placewise.ops.image.colors import yiq_to_rgb as yiq_to_rgb
from placewise.ops.image.colors import yuv_to_rgb as yuv_to_rgb
from placewise.ops.image.conversion import convert_image_dtype as convert_image_dtype
from placewise.ops.image.crop import central_crop as central_crop
from placewise.ops.image.crop import crop_to_bounding_box as crop_to_bounding_box
from placewise.ops.image.crop import pad_to_bounding_box as pad_to_bounding_box
from placewise.ops.image.crop import resize_with_crop_or_pad as resize_with_crop_or_pad
from placewise.ops.image.crop_and_resize import crop_and_resize as crop_and_resize
from placewise.ops.image.decode import decode_bmp as decode_bmp
from placewise.ops.image.decode import decode_gif as decode_gif
from placewise.ops.image.decode import decode_image as decode_image
from placewise.ops.image.decode import decode_jxl as decode_jxl
from placewise.ops.image.decode import decode_png as decode_png
from placewise.ops.image.decode import decode_webp as decode_webp
from placewise.ops.image.edges import image_gradients as image_gradients
from placewise.ops.image.edges import sobel_edges as sobel_edges
from placewise.ops.image.edges import total_variation as total_variation
from placewise.ops.image.flip import flip_left_right as flip_left_right
from placewise.ops.image.flip import flip_up_down as flip_up_down
from placewise.ops.image.flip import random_flip_left_right as random_flip_left_right
from placewise.ops.image.flip import random_flip_up_down as random_flip_up_down
from placewise.ops.image.flip import rot90 as rot90
from placewise.ops.image.flip import (
    stateless_random_flip_left_right as stateless_random_flip_left_right,
)
from placewise.ops.image.flip import (
    stateless_random_flip_up_down as stateless_random_flip_up_down,
)
from placewise.ops.image.flip import transpose as transpose
from placewise.ops.image.jpeg import decode_and_crop_jpeg as decode_and_crop_jpeg
from placewise.ops.image.jpeg import decode_jpeg as decode_jpeg
from placewise.ops.image.jpeg import encode_jpeg as encode_jpeg
from placewise.ops.image.jpeg import encode_png as encode_png
from placewise.ops.image.jpeg import extract_jpeg_shape as extract_jpeg_shape
from placewise.ops.image.jpeg import is_jpeg as is_jpeg
from placewise.ops.image.patches import extract_glimpse as extract_glimpse
from placewise.ops.image.patches import extract_patches as extract_patches
from placewise.ops.image.quality import psnr as psnr
from placewise.ops.image.quality import ssim as ssim
from placewise.ops.image.quality import ssim_multiscale as ssim_multiscale
from placewise.ops.image.random_adjustments import random_brightness as random_brightness
from placewise.ops.image.random_adjustments import random_contrast as random_contrast
from placewise.ops.image.random_adjustments import random_crop as random_crop
from placewise.ops.image.random_adjustments import random_hue as random_hue
from placewise.ops.image.random_adjustments import random_jpeg_quality as random_jpeg_quality
from placewise.ops.image.random_adjustments import random_saturation as random_saturation
from placewise.ops.image.random_adjustments import (
    stateless_random_brightness as stateless_random_brightness,
)
from placewise.ops.image.random_adjustments import (
    stateless_random_contrast as stateless_random_contrast,
)
from placewise.ops.image.random_adjustments import stateless_random_crop as stateless_random_crop
from placewise.ops.image.random_adjustments import stateless_random_hue as stateless_random_hue
from placewise.ops.image.random_adjustments import (
    stateless_random_jpeg_quality as stateless_random_jpeg_quality,
)
from placewise.ops.image.random_adjustments import (
    stateless_random_saturation as stateless_random_saturation,
)
from placewise.ops.image.resize import ResizeMethod as ResizeMethod
from placewise.ops.image.resize import resize as resize
from placewise.ops.image.resize import resize_with_pad as resize_with_pad
from placewise.ops.image.sampled_boxes import (
    sample_distorted_bounding_box as sample_distorted_bounding_box,
)
from placewise.ops.image.sampled_boxes import (
    stateless_sample_distorted_bounding_box as stateless_sample_distorted_bounding_box,
)
from placewise.ops.image.suppression import non_max_suppression as non_max_suppression
from placewise.ops.image.suppression import (
    non_max_suppression_overlaps as non_max_suppression_overlaps,
)
from placewise.ops.image.suppression import (
    non_max_suppression_with_scores as non_max_suppression_with_scores,
)
from placewise.ops.image.suppression_batched import (
    combined_non_max_suppression as combined_non_max_suppression,
)
from placewise.ops.image.suppression_batched import (
    non_max_suppression_padded as non_max_suppression_padded,
)
