# msprof: every target. 'make help' lists them.
#
# Objects and binaries live under build/<variant>/; build/msprof is the release program.

VARIANT ?= release
prefix  ?= /usr/local
DESTDIR ?=
VERSION := 0.1.0

CC      ?= cc
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes \
            -Wold-style-definition -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -Wundef -Wvla -Werror
CPPFLAGS += -I. -Ibuild/$(VARIANT)/generated -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DMSPROF_VERSION='"$(VERSION)"' \
            -DMSPROF_PREFIX='"$(prefix)"'
CFLAGS_release  := -O2 -g -fstack-protector-strong -D_FORTIFY_SOURCE=2
CFLAGS_asan     := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_tsan     := -O1 -g -fsanitize=thread -fno-omit-frame-pointer
CFLAGS_coverage := -O0 -g --coverage
CFLAGS_fuzz     := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_clang    := -O2 -g
ifneq (,$(filter fuzz clang,$(VARIANT)))
override CC := clang
endif
override CFLAGS += -std=c17 -pthread -fPIE $(WARNINGS) $(CFLAGS_$(VARIANT))
override LDFLAGS += -pthread -pie $(if $(filter release clang,$(VARIANT)),-Wl$(comma)-z$(comma)relro$(comma)-z$(comma)now) \
            $(filter -fsanitize=% --coverage,$(CFLAGS_$(VARIANT)))
LDLIBS  += -lsqlite3 -lcjson -lcsv -lssh2 -lcrypto
comma   := ,

B := build/$(VARIANT)
KIND_SOURCES := $(sort $(wildcard parsers/kinds/*.c))
KINDS        := $(notdir $(KIND_SOURCES:.c=))
LIB_SOURCES  := $(sort $(wildcard base/*.c parsers/*.c db/*.c exporters/*.c ssh/*.c)) $(KIND_SOURCES)
CLI_SOURCES  := $(sort $(wildcard cli/*.c))
LIB_OBJECTS  := $(LIB_SOURCES:%.c=$(B)/%.o)
CLI_OBJECTS  := $(CLI_SOURCES:%.c=$(B)/%.o)
KIND_LIST    := $(B)/generated/kind_list.h

.PHONY: all help clean
all: build/msprof ## build build/msprof (the default)

ifeq ($(VARIANT),release)
build/msprof: $(B)/msprof
	@ln -sf release/msprof $@
else
build/msprof: $(B)/msprof
endif

$(B)/msprof: $(LIB_OBJECTS) $(CLI_OBJECTS)
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(B)/%.o: %.c | $(KIND_LIST)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# The list of record kinds is the list of files in parsers/kinds/: adding a kind touches no other file.
$(KIND_LIST): $(KIND_SOURCES) Makefile
	@mkdir -p $(@D)
	@printf 'KIND(%s)\n' $(KINDS) > $@.tmp && { cmp -s $@.tmp $@ && rm $@.tmp && touch $@ || mv $@.tmp $@; }
$(B)/parsers/record.o: $(KIND_LIST)

-include $(LIB_OBJECTS:.o=.d) $(CLI_OBJECTS:.o=.d)

UNIT_SOURCES := $(sort $(wildcard tests/unit/test_*.c))
UNIT_TESTS   := $(UNIT_SOURCES:%.c=$(B)/%)
TEST_LIB     := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard tests/lib/*.c)))
$(B)/tests/unit/%: $(B)/tests/unit/%.o $(TEST_LIB) $(LIB_OBJECTS)
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -lcmocka -o $@
.PRECIOUS: $(B)/tests/unit/%.o
-include $(UNIT_SOURCES:%.c=$(B)/%.d)

.PHONY: unit-tests
unit-tests: $(UNIT_TESTS) ## build the unit tests

clean: ## remove build/
	rm -rf build

help: ## list the targets
	@awk -F':.*## ' '/^[a-z][a-z0-9-]*:.*## /{printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# --- captures and benchmarks ---
# The generator knows base/ and parsers/ only: it writes with the encoder what the decoder is to read.
GENERATE_SOURCES := $(sort $(wildcard testdata/generate/*.c))
GENERATE_OBJECTS := $(GENERATE_SOURCES:%.c=$(B)/%.o)
GENERATE_COMMON  := $(filter-out $(B)/testdata/generate/make_%,$(GENERATE_OBJECTS)) $(filter $(B)/base/% $(B)/parsers/%,$(LIB_OBJECTS))
GENERATORS       := $(B)/make-capture $(B)/make-figures
-include $(GENERATE_OBJECTS:.o=.d)

$(GENERATORS): $(B)/make-%: $(B)/testdata/generate/make_%.o $(GENERATE_COMMON)
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

.PHONY: generators captures bench
generators: $(GENERATORS) ## build make-capture and make-figures, which write SVP captures

captures: $(GENERATORS) ## write the captures under testdata/ anew
	rm -rf testdata/resnet50 testdata/small testdata/figures
	testdata/generate/shipped.sh $(B) testdata

BENCH_PROGRAMS := $(B)/tests/bench/measure $(B)/tests/bench/ceiling
$(BENCH_PROGRAMS): %: %.o
	$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

bench: build/msprof $(B)/make-capture $(BENCH_PROGRAMS) ## measure import and export at BENCH_SIZES records
	tests/bench/bench.sh $(B)
