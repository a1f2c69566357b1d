"""Which ranks of vLLM-Omni's workers make one video together."""

from typing import Any

from torch import distributed


def find_worker_process_group() -> Any:
    """Their process group; None for a rank by itself. All ranks ask together, once, while the model is loaded."""
    if not distributed.is_available() or not distributed.is_initialized() or distributed.get_world_size() < 2:
        return None
    from vllm_omni.diffusion.distributed import parallel_state  # pyright: ignore[reportMissingImports]

    if parallel_state.get_pipeline_parallel_world_size() > 1:
        raise ValueError(
            "navicache: pipeline parallelism hands parts of a model's work from rank to rank, and only whole calls can "
            "be predicted: use sequence, tensor or guidance parallelism, or cache_backend='none'"
        )
    replicas = parallel_state.get_data_parallel_world_size()
    return distributed.group.WORLD if replicas == 1 else create_replica_group(parallel_state.get_data_parallel_rank())


def create_replica_group(replica_index: int) -> Any:
    """The group of ranks with this rank's number; ranks of other numbers make other videos."""
    numbers: list[int] = [0] * distributed.get_world_size()
    distributed.all_gather_object(numbers, replica_index)
    members = [[rank for rank, its in enumerate(numbers) if its == each] for each in sorted(set(numbers))]
    group, _ = distributed.new_subgroups_by_enumeration(members)
    return group
