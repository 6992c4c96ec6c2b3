# What one runs by hand. `make` alone lists it.

PORT ?= 8000

# The first Python that is new enough; requirements/install.py says what is missing when there is none.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$python; exit; }; \
	done; echo python3)
RUN := .venv/bin/python

# The tests start hundreds of processes: without bytecode each of them would compile the server anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help play test check lint all-tests rules-tests audit test-postgres postgresql-tests services-test image drill fault month long touch bench strength messages reply-scores phrasings ordinary pictures mails api playthroughs lock clean runtime dev

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

play: runtime ## play: the whole server in one process, on http://127.0.0.1:8000 (or PORT=…)
	@exec $(RUN) manage.py play --port $(PORT)

test: dev ## run the quick tests, three minutes on two cores (PostgreSQL, Redis and Chromium are not needed)
	$(RUN) -m pytest -n auto -m "not slow"

test-postgres: dev ## the tests that ask a database, on a PostgreSQL of their own (ARGS=tests/matches)
	$(RUN) -m tests.services.suite $(ARGS)

# Of the files that name the mark: to collect all others twice takes longer than these tests.
postgresql-tests: dev ## the tests of what SQLite has not, on a PostgreSQL of their own
	$(RUN) -m tests.services.suite -m postgresql $$(grep -rl mark.postgresql tests --include='test_*.py')

check: lint all-tests ## everything that must hold before a commit is pushed: lint, types, imports, migrations, all tests

lint: dev ## ruff, types, imports, migrations, known weaknesses
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m mypy games gemserver
	.venv/bin/lint-imports
	GEMSERVER_MODE=test $(RUN) manage.py makemigrations --check --dry-run
	$(RUN) $(AUDIT)

# One process more than cores, for the tests of real services mostly wait. Whoever has no more tests steals from who has.
all-tests: dev ## all tests, also those that `make test` leaves out
	$(RUN) -m pytest -n $(shell expr $$(nproc 2>/dev/null || echo 2) + 1) --dist worksteal $(ARGS)

rules-tests: dev ## the tests of the games by themselves, in one process
	$(RUN) -m pytest tests/games

AUDIT := requirements/audit.py requirements.txt requirements/mail.txt requirements/dev.txt

audit: dev ## look for known weaknesses in what is locked; fails where the advisory service cannot be reached
	$(RUN) $(AUDIT) --strict

services-test: runtime ## play a whole match on real PostgreSQL, Redis, web, worker, beat and mail processes
	$(RUN) -m tests.services

image: runtime ## build the container image and play a match on its containers (BASE=an image of Debian; else made by debootstrap)
	$(RUN) -m tests.services.containers

drill: runtime ## as root: install on a bare Debian, play, kill the machine, restore, go back to a moment, upgrade; how long each took (ARGS="--seed 2")
	$(RUN) -m tests.operating.drill $(ARGS)

fault: runtime ## kill, stop, hang and fill up every part of the server while people play; what was found (ARGS="--moves 500")
	$(RUN) -m tests.faults $(ARGS)

TESTS ?= tests
long: dev ## all tests at full length: ten thousand mails, a thousand matches before a referee, every sentence; hours (TESTS=tests/mailgate)
	LONG=1 $(RUN) -m pytest -n auto --dist worksteal $(TESTS)

month: runtime ## simulate a month of 200 matches and 300 players, then three seasons of five leagues, and report (ARGS="--days 7": the month alone)
	$(RUN) -m tests.simulation $(ARGS)
	$(if $(ARGS),,$(RUN) -m tests.simulation seasons)

SEED ?=
touch: dev ## play whole random matches of every game by touch, keyboard and links in Chromium; write what a move costs (SEED=7)
	TOUCH=all SEED=$(SEED) $(RUN) -m pytest tests/browser/test_touching.py

bench: runtime ## measure random playouts of every game, how often people are asked, how strong its computer players are, if ratings predict; the server under load
	$(RUN) -m games bench
	$(RUN) -m tests.strength --minutes 10
	$(RUN) -m games bench --ratings --matches 100
	$(RUN) -m tests.load

strength: runtime ## measure the computer players, deal by deal until each pair is decided, and write docs/strength.md; takes hours (ARGS="--game gem --pair hard,normal")
	$(RUN) -m tests.strength $(ARGS)

messages: dev ## find new sentences and compile the translations (needs GNU gettext)
	GEMSERVER_MODE=test $(RUN) manage.py makemessages --all --no-location --no-obsolete --ignore .venv --ignore examples --ignore tests --ignore var
	GEMSERVER_MODE=test $(RUN) manage.py compilemessages --ignore .venv

COLLECTIONS ?= ../shared
reply-scores: runtime ## score the reply extractor on collections of replies that are no part of the project (COLLECTIONS=folder)
	@test -e $(COLLECTIONS)/score_reply.py || { echo "There is no score_reply.py in $(COLLECTIONS); name its folder: make reply-scores COLLECTIONS=…" >&2; exit 1; }
	$(RUN) $(COLLECTIONS)/score_reply.py gemserver.mailgate.reply:extract_text \
		--html gemserver.mailgate.reply:extract_html --eml gemserver.mailgate.reply:extract_eml --path .
	$(RUN) $(COLLECTIONS)/redos.py gemserver.mailgate.reply:extract_text

phrasings: dev ## count the natural sentences of each game and language that a mail plays (ARGS="gem.fr --show")
	$(RUN) -m tests.mailgate.phrasing_scores $(ARGS)

FOLDERS ?= ../shared/ordinary
ordinary: dev ## read a hundred thousand sentences of ordinary mail as moves (FOLDERS="…", as tests/mailgate/ordinary/SOURCES.md says)
	$(RUN) -m tests.mailgate.ordinary $(FOLDERS) $(ARGS)

api: dev ## write docs/games-api.md anew from the docstrings of games
	$(RUN) -m tests.games.api_page

pictures: dev ## draw the pictures of the documents anew (needs Debian's chromium)
	$(RUN) -m tests.pictures

mails: dev ## write every mail that the server sends to var/mails, to look at it (ARGS="--language fr --scene digest talk")
	$(RUN) -m tests.pictures.mails $(ARGS)

playthroughs: dev ## write the playthrough files anew, after a change of rules that is meant
	$(RUN) -m tests.games.playthroughs

COMPILE := ../.venv/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url

lock: ## compile requirements/*.in into the locked files (UPGRADE=--upgrade for newer versions)
	test -x .venv/lock/bin/uv || { $(PYTHON) -m venv .venv/lock && .venv/lock/bin/pip install --quiet uv==0.13.8; }
	cd requirements && $(COMPILE) $(UPGRADE) base.in -o ../requirements.txt
	cd requirements && $(COMPILE) $(UPGRADE) mail.in -o mail.txt
	cd requirements && $(COMPILE) $(UPGRADE) dev.in -o dev.txt

clean: ## remove what can be made again; the matches in var/ stay
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis staticfiles
	find games gemserver tests -name __pycache__ -type d -prune -exec rm -rf {} +

runtime:
	@command -v $(PYTHON) >/dev/null || { echo "Python was not found; install Python 3.11 or newer." >&2; exit 1; }
	@$(PYTHON) requirements/install.py requirements.txt

dev:
	@command -v $(PYTHON) >/dev/null || { echo "Python was not found; install Python 3.11 or newer." >&2; exit 1; }
	@$(PYTHON) requirements/install.py requirements.txt requirements/dev.txt
