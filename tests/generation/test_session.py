"""Notes are said once, and a job is checked before anything is loaded."""

import logging

import pytest

from navicache.generation.job import CacheSettings, GenerationJob, ModelSource
from navicache.generation.session import generate_prompt_results, log_notes_once


def test_a_note_is_said_once_and_again_later(caplog):
    logger = logging.getLogger("navicache")
    with caplog.at_level(logging.WARNING, "navicache"):
        with log_notes_once():
            for note in ("one", "two", "one"):
                logger.warning(note)
        logger.warning("one")
    assert caplog.messages == ["one", "two", "one"]


def test_the_filter_goes_after_an_error_too():
    logger = logging.getLogger("navicache")
    before = list(logger.filters)
    with pytest.raises(RuntimeError), log_notes_once():
        raise RuntimeError
    assert logger.filters == before


@pytest.mark.parametrize("wrong", ["policy", "out"])
def test_what_can_be_refused_is_refused_before_the_model_is_loaded(wrong, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("navicache.generation.loading.load_pipeline", lambda _: pytest.fail("loaded"))
    caching = CacheSettings("nonsense") if wrong == "policy" else CacheSettings()
    out = tmp_path / "file" if wrong == "out" else tmp_path
    with pytest.raises(ValueError, match=r"nonsense|is a file"):
        next(generate_prompt_results(GenerationJob(ModelSource(), ("a cat",), {}, caching, out)))
