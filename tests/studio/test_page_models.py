"""Models of one's own, chosen on the page: one of the family, a folder, a hub id. Only the last may ask a network."""

from contextlib import closing

from tests.studio.hands import DONE, FIELD, LIVE, TILES, choose, press, put, refused, run, visit, wait_for, write
from tests.studio.served import NEEDED, Studio
from tests.studio.toys import PROMPT, SMALL

pytestmark = NEEDED
MODEL = 'input[aria-label="Model"]'


def filled(tab, name, value):
    wait_for(tab, f"{FIELD}('{name}').value === '{value}'")


def test_another_of_the_family_brings_its_own_values(tab, studio):
    visit(tab, studio)
    filled(tab, "Frames", "9")
    put(tab, MODEL, "pocket:unet")
    filled(tab, "Frames", "")
    run(tab, Steps=6)
    assert tab.value(TILES)[2].endswith("of 6")
    assert tab.value("document.querySelector('.nv-reel').tagName") == "IMG" and studio.wanted() == []


def test_a_folder(tab, studio, wan_folder):
    visit(tab, studio)
    filled(tab, "Frames", "9")  # the page has its first values
    put(tab, MODEL, str(wan_folder))
    filled(tab, "Steps", "")
    for name, value in SMALL.items():
        write(tab, name.title(), value)
    choose(tab, "speed-up")
    put(tab, "#nv-ask textarea", PROMPT)
    wait_for(tab, DONE)
    assert tab.value(TILES)[2] == "4 of 8" and studio.wanted() == []


def test_a_name_that_is_nothing(tab, studio):
    visit(tab, studio)
    filled(tab, "Frames", "9")
    put(tab, MODEL, "pocket:nobody")
    assert refused(tab, "no model 'nobody'")
    assert "Traceback" not in studio.said()


def test_a_hub_id_is_asked_for_and_nothing_else(tab, studio):
    visit(tab, studio)
    filled(tab, "Frames", "9")
    put(tab, MODEL, "nobody/nothing")
    filled(tab, "Steps", "")
    press(tab, "Run")
    assert refused(tab, "cannot get nobody/nothing from the model hub")
    assert set(studio.wanted()) == {"huggingface.co"} and "Traceback" not in studio.said()


def test_a_model_without_values_of_its_own_has_empty_fields_from_the_start(tab, tmp_path):
    with closing(Studio(tmp_path, "--model", "pocket:unet")) as images:
        images.wait()
        visit(tab, images)
        filled(tab, "Frames", "")
        run(tab, Steps=4)
        assert tab.value("document.querySelector('.nv-reel').tagName") == "IMG"


def test_a_search_is_followed_stopped_and_goes_on_to_its_settings_file(tab, tmp_path):
    with closing(Studio(tmp_path, "--model", "pocket:unet")) as images:
        images.wait()
        visit(tab, images)
        write(tab, "Steps", 8)
        press(tab, "Tune for this model")
        wait_for(tab, "!!document.querySelector('#nv-begin')")
        put_prompts(tab, "a red ball\na blue cube\na large yellow star\na small purple ring")
        begin = "document.querySelector('#nv-begin')"
        tab.value(f"{begin}.click()")
        wait_for(tab, f"/of at most 20 runs/.test({LIVE}) && !!document.querySelector('.nv-best') && {begin}.disabled")
        press(tab, "Stop")
        wait_for(tab, f"{LIVE}.includes('goes on from there') && !{begin}.disabled")
        tab.value(f"{begin}.click()")
        wait_for(tab, f"{LIVE}.startsWith('Tuned')")
        field = """document.querySelector('#nv-how [data-testid="textbox"]')"""
        wait_for(tab, f"!!{field}?.value")
        path = tab.value(f"{field}.value")
        assert path.startswith("outputs/studio/pocket-unet-") and (images.room / path).is_file()
        run(tab)
        assert f'settings="{path}"' in tab.value("document.querySelector('.nv-code').innerText")
        assert images.wanted() == [] and "Traceback" not in images.said()


def put_prompts(tab, text):
    tab.value("document.querySelector('#nv-tune textarea').focus()")
    tab.call("Input.insertText", text=text)
    wait_for(
        tab, f"document.querySelector('#nv-tune textarea').value.split('\\n').length === {text.count(chr(10)) + 1}"
    )
