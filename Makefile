# Every target works in .venv, made here with the versions of constraints.txt.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
DEV := .venv/.dev
DOCS := .venv/.docs
DIST ?= . pocket opensora serving
PAPER := table1 figure1 ablation_align ablation_noise schedulers scalability
STUDIES := outputs/bench/paper

# pip compiles nothing here, so Python has to keep what it compiles: every process would compile torch anew otherwise.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo bench-paper test test-all lint docs dist constraints clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(STAMP) ## Run the demonstration
	$(BIN)/navicache demo

bench-paper: $(STAMP) ## The paper's studies on three embedded models, and their page; run it again to go on, PROMPTS=1 for a look
	@for plan in $(PAPER); do \
	  $(BIN)/navicache bench plans/pocket/$$plan.toml --out $(STUDIES)/$$plan \
	    $(if $(PROMPTS),--prompts $(PROMPTS) --accuracy $(PROMPTS)) || exit 1; done
	@$(BIN)/python -m benchmarks.cost.decisions --csv $(STUDIES)/decisions.csv \
	  $(if $(PROMPTS),--small --rounds 1)
	@$(BIN)/python -m benchmarks.paper.semantics plans/pocket/table1.toml --prompts $(or $(PROMPTS),64) \
	  --out $(STUDIES)/semantics --csv $(STUDIES)/semantics.csv
	@$(BIN)/python -m benchmarks.paper.page $(PAPER:%=$(STUDIES)/%) --title "The paper's studies" \
	  --decisions $(STUDIES)/decisions.csv --semantics $(STUDIES)/semantics.csv \
	  --out $(STUDIES)/report.html --figures $(STUDIES)/figures.csv

test: lint ## Lint, then all tests but the slow ones
	@echo "== pytest"
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile --durations=15 --durations-min=5

test-all: lint ## Lint, then every test
	@echo "== pytest, slow tests included"
	@$(BIN)/python -m pytest -m "" --hypothesis-profile="new values"

lint: $(DEV) ## Style, format, types, layers
	@echo "== ruff check"
	@$(BIN)/ruff check
	@echo "== ruff format"
	@$(BIN)/ruff format --check
	@echo "== pyright"
	@$(BIN)/pyright --pythonpath $(BIN)/python
	@echo "== import-linter"
	@PYTHONPATH=comfyui $(BIN)/lint-imports

docs: $(DOCS) ## Build the site into build/site; a link that leads nowhere stops it
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "build/site/index.html is there; for its search: $(BIN)/python -m http.server --directory build/site"

dist: $(DEV) ## Build what an index is given, of all four projects, and check it; DIST=. for the library alone
	@rm -rf dist
	@for project in $(DIST); do $(BIN)/python -m build --no-isolation --outdir dist $$project || exit 1; done
	@$(BIN)/python -m twine check --strict dist/*

.PHONY: comfyui-pack
comfyui-pack: ## Build the node pack for ComfyUI with the library inside: a folder and a zip in dist
	@$(PYTHON) -m tools.comfyui_pack

constraints: ## Write constraints.txt anew, with the newest versions that fit, and say what changed
	@$(PYTHON) tools/constraints.py

clean: ## Remove the environment, caches and builds
	rm -rf .venv .venv-floor .venv-serving-* .venv-studio .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist
	find src tests pocket opensora serving benchmarks tools -type d -name __pycache__ -prune -exec rm -rf {} +

$(STAMP): pyproject.toml pocket/pyproject.toml opensora/pyproject.toml serving/pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed here (diffusers 0.42 asks for it), and '$(PYTHON)' is not." >&2; \
	  echo "Name another one: make PYTHON=/path/to/python3 ..." >&2; exit 1; }
	@$(PYTHON) tools/install.py
	@touch $@

$(DEV): $(STAMP)
	@$(PYTHON) tools/install.py --dev
	@touch $@

.PHONY: structure
structure: ## Lengths, layers, cycles and foreign stores of src, with their limits
	@$(PYTHON) -m tools.structure

.PHONY: tables
tables: ## Write the parts of the docs that are made from the code
	@$(BIN)/python -m tools.tables
	@$(BIN)/python -m tools.tree

.PHONY: test-floor
test-floor: ## Test on the oldest torch and diffusers that pyproject.toml allows
	@$(PYTHON) tools/floor.py

.PHONY: test-serving
test-serving: $(DEV) ## Test the plug-ins against SGLang and vLLM-Omni themselves, on the CPU
	@$(PYTHON) tools/serving.py

.PHONY: test-studio
test-studio: ## Test the studio with Gradio and a real browser, in an environment of its own
	@$(PYTHON) -m tools.studio

$(DOCS): $(STAMP)
	@$(PYTHON) tools/install.py --docs
	@touch $@
