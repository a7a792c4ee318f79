"""tf.debugging: assertions, and the placement log."""

from placewise.devices.configuration import get_log_device_placement as get_log_device_placement
from placewise.devices.configuration import set_log_device_placement as set_log_device_placement
from placewise.ops.debugging.assertions import Assert as Assert
from placewise.ops.debugging.assertions import assert_all_finite as assert_all_finite
from placewise.ops.debugging.assertions import assert_equal as assert_equal
from placewise.ops.debugging.assertions import assert_greater as assert_greater
from placewise.ops.debugging.assertions import assert_greater_equal as assert_greater_equal
from placewise.ops.debugging.assertions import assert_less as assert_less
from placewise.ops.debugging.assertions import assert_less_equal as assert_less_equal
from placewise.ops.debugging.assertions import assert_near as assert_near
from placewise.ops.debugging.assertions import assert_negative as assert_negative
from placewise.ops.debugging.assertions import assert_non_negative as assert_non_negative
from placewise.ops.debugging.assertions import assert_non_positive as assert_non_positive
from placewise.ops.debugging.assertions import assert_none_equal as assert_none_equal
from placewise.ops.debugging.assertions import assert_positive as assert_positive
from placewise.ops.debugging.assertions import check_numerics as check_numerics
from placewise.ops.debugging.numerics import disable_check_numerics as disable_check_numerics
from placewise.ops.debugging.numerics import (
    disable_traceback_filtering as disable_traceback_filtering,
)
from placewise.ops.debugging.numerics import enable_check_numerics as enable_check_numerics
from placewise.ops.debugging.numerics import (
    enable_traceback_filtering as enable_traceback_filtering,
)
from placewise.ops.debugging.numerics import (
    is_traceback_filtering_enabled as is_traceback_filtering_enabled,
)
from placewise.ops.debugging.static_checks import assert_integer as assert_integer
from placewise.ops.debugging.static_checks import assert_proper_iterable as assert_proper_iterable
from placewise.ops.debugging.static_checks import assert_rank as assert_rank
from placewise.ops.debugging.static_checks import assert_rank_at_least as assert_rank_at_least
from placewise.ops.debugging.static_checks import assert_rank_in as assert_rank_in
from placewise.ops.debugging.static_checks import assert_same_float_dtype as assert_same_float_dtype
from placewise.ops.debugging.static_checks import assert_scalar as assert_scalar
from placewise.ops.debugging.static_checks import assert_shapes as assert_shapes
from placewise.ops.debugging.static_checks import assert_type as assert_type
from placewise.ops.debugging.static_checks import is_numeric_tensor as is_numeric_tensor
