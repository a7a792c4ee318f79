"""Tests of simulated GPUs' memory, with test cards in the place of the simulated ones.

Left out are tests of what torch does there: where blocks lie, asking before a tensor is made. So
are those of lines that made tensors, which are kept inside `placewise.memory.record()` only.
"""

import pytest

from tests.memory import test_endurance
from tests.memory.test_asking import (  # noqa: F401 - run here
    small_card,
    test_a_constant_and_a_copy_for_an_op_name_theirs,
    test_a_constant_of_a_graph_without_room_names_its_reader,
    test_a_fed_value_without_room_names_its_placeholder,
    test_a_pipeline_names_its_op_in_the_first_line,
    test_a_shape_with_too_many_elements_is_invalid,
    test_above_the_limit_the_memory_of_this_machine_does_not_matter,
    test_int32_beyond_all_memory_is_not_in_the_pool,
    test_the_op_is_named_alike_before_and_after_the_tensor_is_made,
    test_zeros_on_a_full_card_say_what_was_asked_for,
)
from tests.memory.test_budget import (  # noqa: F401 - run here
    test_a_fraction_above_one_is_refused,
    test_a_fraction_truly_bounds,
    test_a_limit_above_the_card_is_bounded_by_the_card,
    test_a_limit_of_a_logical_device_overrides_process_growth,
    test_a_running_limit_is_what_device_lib_lists,
    test_devices_list_the_limit_that_is_in_force,
    test_growth_names_its_line,
    test_released_memory_may_be_had_on_other_terms,
    test_the_command_line_bounds_what_the_program_asks_for,
    test_the_command_line_never_gives_more_than_the_program_asks_for,
    test_the_default_is_nearly_all,
    test_the_environment_forces_growth,
    test_the_first_session_fixes_the_memory_for_all,
)
from tests.memory.test_endurance import (  # noqa: F401 - run here
    small_gpu,
    test_a_session_refuses_a_tebibyte_too_and_names_the_node,
    test_a_session_s_training_loop_ends_with_the_bytes_it_began_with,
    test_a_tebibyte_is_refused_in_tensorflow_s_words_everywhere,
    test_an_eager_training_loop_ends_with_the_bytes_it_began_with,
    test_eager_ops_run_out_ten_thousand_times_and_nothing_is_lost,
    test_gradients_of_a_tape_run_out_ten_thousand_times_and_nothing_is_lost,
    test_sessions_and_their_gradients_run_out_thousands_of_times,
)
from tests.memory.test_holders import (  # noqa: F401 - run here
    gpu,
    nothing_else_is_held,
    test_a_copy_has_the_shape_that_the_program_sees,
    test_a_tensor_that_was_a_variable_s_has_its_own_name,
    test_a_variable_keeps_its_name_and_line_through_updates,
    test_each_replica_of_a_variable_has_its_line,
    test_variables_of_a_session_have_the_lines_that_defined_them,
)
from tests.memory.test_host_results import (  # noqa: F401 - run here
    test_a_loop_on_a_full_card_goes_on,
    test_at_once,
    test_in_a_function,
    test_other_comparisons_count,
)
from tests.memory.test_release import (  # noqa: F401 - run here
    test_a_copy_asked_for_lives_as_long_as_it_is_held,
    test_a_deleted_handle_holds_nothing,
    test_a_session_that_ends_with_an_error_gives_its_memory_back,
    test_an_error_that_is_kept_holds_nothing_that_was_computed,
    test_remembered_scalars_do_not_keep_a_pool,
    test_remembered_scalars_do_not_keep_the_pool_of_the_last_session,
    test_the_copy_for_an_op_is_made_once,
    test_the_frames_of_the_program_keep_what_they_have,
)
from tests.memory.test_snapshots import (  # noqa: F401 - run here
    test_a_cpu_has_no_figures,
    test_bad_names_are_refused_in_tensorflow_s_words,
    test_lives,
    test_memory_info_by_any_name,
    test_releasing_keeps_what_is_held_of_a_fixed_pool,
)
from tests.memory.test_variable_updates import (  # noqa: F401 - run here
    test_a_scattered_update_counts,
    test_an_update_of_a_shared_content_counts,
    used,
)

pytestmark = pytest.mark.usefixtures("instead_of_simulation")


@pytest.fixture(autouse=True)
def fewer_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run out of memory less often: looking for who holds it takes its time."""
    monkeypatch.setattr(test_endurance, "TIMES", 20)
    monkeypatch.setattr(test_endurance, "SLOW_TIMES", 20)
