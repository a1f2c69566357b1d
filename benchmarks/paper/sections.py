"""The sections of the paper's page: the library's, with published rows, and those about what the policies did."""

from benchmarks.paper.decisions import accuracy_section
from benchmarks.paper.insight import frequency_section, latency_section, trajectories_section
from benchmarks.paper.published_rows import ablations_with_published, table_with_published
from navicache.cli.report.sections import SECTIONS

# By their anchors, in the order of the page.
PAPER_SECTIONS = {
    **SECTIONS,
    "table": table_with_published,
    "ablations": ablations_with_published,
    "latency": latency_section,
    "frequency": frequency_section,
    "trajectories": trajectories_section,
    "accuracy": accuracy_section,
}
