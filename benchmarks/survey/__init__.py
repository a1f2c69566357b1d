"""Every pipeline class of the installed diffusers, tiny and cached: the rows of docs/compatibility.md.

    __main__.py     runs the classes and writes rows.json
    subjects.py     lists the classes, and finds the tiny build of each
    generic.py      builds and runs a pipeline by the annotations of its class, a template and a recipe
    modular.py      the same for modular pipelines
    control.py, media.py, text_parts.py
                    ControlNets, images and sound, encoders and tokenizers: what builds share
    templates/      tiny builds for denoiser classes that tests/tiny has none of
    recipes/        what single classes need beyond a template
    unreached.py    the classes that are not run, and why
    measure.py      runs one build with and without the cache: its row
    table.py        the rows as tables; `make tables` writes them into the page

A class that tests/tiny builds is run as it is there. Any other takes a template with its denoiser class, and its recipe
if it has one. A new class of a known model thus needs nothing or a recipe, and a new denoiser class needs a template.
The modules of templates/ and recipes/ that have one name are about the same models.
"""
