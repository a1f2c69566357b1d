from pathlib import Path

from tests.tools.made_up import module
from tools.measures.lengths import FunctionLength, measure_function_lengths, find_long_files, compute_percentile


def test_own_lines_leave_out_docstring_blank_lines_comments_and_inner_functions(tmp_path):
    text = '''
    def outer(a,
              b):
        """One.

        Two.
        """
        # a comment

        @wraps(a)
        def inner():
            return a

        return (
            inner  # a comment behind code
        )
    '''
    assert {each.name: each.lines for each in measure_function_lengths(module(tmp_path, text))} == {
        "outer": 5,
        "outer.inner": 2,
    }


def test_methods_are_named_with_their_class_and_have_no_decorators(tmp_path):
    text = """
    class A:
        @property
        def b(self):
            return 1
    """
    assert [(each.name, each.lines, each.line) for each in measure_function_lengths(module(tmp_path, text))] == [
        ("A.b", 2, 4)
    ]


def test_a_percentile_is_exceeded_by_the_rest():
    found = [FunctionLength(lines, "f", Path("one.py"), 1) for lines in range(1, 102)]
    assert compute_percentile(found, 90) == 91


def test_a_file_of_the_limit_is_long_and_one_line_less_is_not(tmp_path):
    (tmp_path / "at.py").write_text("x = 1\n" * 200)
    (tmp_path / "below.py").write_text("x = 1\n" * 199)
    assert [(each.path.name, each.text) for each in find_long_files(tmp_path, 200)] == [("at.py", "200 lines")]
