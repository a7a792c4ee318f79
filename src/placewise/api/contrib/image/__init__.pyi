"""Names of tf.contrib.image."""

from placewise.contrib.image.transforms import angles_to_projective_transforms as angles_to_projective_transforms
from placewise.contrib.image.transforms import compose_transforms as compose_transforms
from placewise.contrib.image.transforms import flat_transforms_to_matrices as flat_transforms_to_matrices
from placewise.contrib.image.transforms import matrices_to_flat_transforms as matrices_to_flat_transforms
from placewise.contrib.image.transforms import rotate as rotate
from placewise.contrib.image.transforms import transform as transform
from placewise.contrib.image.transforms import translate as translate
from placewise.contrib.image.transforms import translations_to_projective_transforms as translations_to_projective_transforms
from placewise.contrib.image.warps import dense_image_warp as dense_image_warp
from placewise.contrib.image.splines import interpolate_spline as interpolate_spline
from placewise.contrib.image.warps import sparse_image_warp as sparse_image_warp
