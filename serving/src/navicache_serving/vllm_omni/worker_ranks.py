"""Find the ranks of vLLM-Omni's workers that make one video together."""

from typing import Any

from torch import distributed


def find_worker_process_group() -> Any:
    """Find the process group of the ranks that make one video; None on a single rank. All ranks must call this."""
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
    """Create the group of ranks with this replica index; other replicas make other videos."""
    numbers: list[int] = [0] * distributed.get_world_size()
    distributed.all_gather_object(numbers, replica_index)
    members = [[rank for rank, its in enumerate(numbers) if its == each] for each in sorted(set(numbers))]
    group, _ = distributed.new_subgroups_by_enumeration(members)
    return group
