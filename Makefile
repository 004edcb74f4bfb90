# SPDX-License-Identifier: Apache-2.0
# msprof: every target. 'make help' lists them.
#
# Objects and programs live under build/<variant>/; build/msprof is the release program.
# CC, CPPFLAGS, CFLAGS, LDFLAGS and LDLIBS are the user's: they are added to what the project needs.

VERSION := 0.3.0
VARIANT ?= release
prefix  ?= /usr/local
DESTDIR ?=

# Where objects and programs go: 'make BUILD=/tmp/msprof' leaves the sources as they are.
BUILD   ?= build
ifneq (1,$(words $(BUILD)))
$(error BUILD='$(BUILD)' must be one directory without a blank in its name)
endif
# The name that the program is installed by, for machines that have CANN's own 'msprof' in PATH.
PROGRAM ?= msprof
# 'no' for a build without collect (and its SSH library), without the libraries that record (libmsprof_acl, libmsprof_preload), or
# without tui (and the headers of ncurses).
COLLECT ?= yes
# 'no' for a program that speaks English alone: the catalogue of po/ is part of it otherwise.
NLS     ?= yes
ACL     ?= yes
TUI     ?= yes
WITH_COLLECT := $(filter-out no,$(COLLECT))
WITH_TUI     := $(filter-out no,$(TUI))
WITH_ACL     := $(filter-out no,$(ACL))

# The library that collect speaks SSH by: 'libssh2' or 'libssh', whose file in ssh/transport/ is taken.
SSH ?= libssh2
SSH_LIBRARIES  := libssh2 libssh
ifeq (,$(filter $(SSH),$(SSH_LIBRARIES)))
$(error unknown SSH '$(SSH)'; there are: $(SSH_LIBRARIES))
endif
OTHER_SSH      := $(filter-out $(SSH),$(SSH_LIBRARIES))
SSH_LDLIBS      = $(if $(WITH_COLLECT),-l$(patsubst lib%,%,$(SSH)))

# 'make CROSS=aarch64-linux-gnu' builds for another machine, with the libraries below SYSROOT if they are not where the compiler looks.
CROSS   ?=
SYSROOT ?=
ifneq (,$(CROSS))
CC      := $(CROSS)-gcc
AR      := $(CROSS)-ar
LD      := $(CROSS)-ld
OBJCOPY := $(CROSS)-objcopy
endif

OBJCOPY ?= objcopy

SHELL       := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
.PHONY: all
all:

# --- how to compile: the variants ---

CC       ?= cc
WERROR   ?= -Werror
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes \
            -Wold-style-definition -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -Wundef -Wvla $(WERROR)

# No path of the build machine in the program: the same sources make the same bytes in every directory.
OPTIMIZED := -O2 -g -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -ffile-prefix-map='$(CURDIR)'=.
# Line numbers are all that a sanitizer's report needs of debug information.
SANITIZED := -g1 -fno-omit-frame-pointer -fno-sanitize-recover=all
HARDENED  := -Wl,-z,relro -Wl,-z,now

CFLAGS_release   := $(OPTIMIZED)
LDFLAGS_release  := $(HARDENED)
# Warnings of clang: nothing runs this build, so it is neither optimized nor for a debugger.
CFLAGS_clang     := -O0
LDFLAGS_clang    := $(HARDENED)
# At fixed addresses: what the sanitizer knows of objects is 100,000 pointers, to be moved at each start. Undefined
# behaviour traps, and the address sanitizer reports the line: texts for each of 40,000 checks, which it guards and
# searches for pointers, are two fifths of a start. The fuzz targets have the texts.
CFLAGS_asan      := -Og $(SANITIZED) -fsanitize=address,undefined,float-cast-overflow -fsanitize-undefined-trap-on-error
NO_PIE_asan      := no-
LDFLAGS_asan     := -fsanitize=address
CFLAGS_tsan      := -O1 $(SANITIZED) -fsanitize=thread
LDFLAGS_tsan     := -fsanitize=thread
# Without optimization gcc warns of what it cannot follow; that is for the other variants to judge.
CFLAGS_coverage  := -O0 -g --coverage -Wno-error
LDFLAGS_coverage := --coverage
CFLAGS_fuzz      := -O1 $(SANITIZED) -fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow
LDFLAGS_fuzz     := -fsanitize=address,undefined,float-cast-overflow

# For systems back to glibc 2.17: other libraries are linked in, and tools/portable/ has glibc's older functions.
CFLAGS_portable  := $(OPTIMIZED) -ffunction-sections
LDFLAGS_portable := $(HARDENED) -Wl,--gc-sections -static-libgcc

VARIANTS := release clang asan tsan coverage fuzz portable
ifeq (,$(filter $(VARIANT),$(VARIANTS)))
$(error unknown VARIANT '$(VARIANT)'; there are: $(VARIANTS))
endif
ifneq (,$(filter fuzz clang,$(VARIANT)))
override CC := clang
endif

B := $(BUILD)/$(addsuffix -,$(CROSS))$(VARIANT)

SYSROOT_FLAG := $(if $(SYSROOT),--sysroot='$(SYSROOT)')
NEEDED_CPPFLAGS := -I. -Iinclude -I$(B)/generated -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DMSPROF_VERSION='"$(VERSION)"' $(SYSROOT_FLAG)
# As libmsprof has the objects: the program is made of the same.
POSITION        := $(if $(NO_PIE_$(VARIANT)),-fno-PIE,-fPIC -fvisibility=hidden)
NEEDED_CFLAGS   := -std=c17 -pthread $(POSITION) $(WARNINGS) $(CFLAGS_$(VARIANT))
NEEDED_LDFLAGS  := -pthread -$(NO_PIE_$(VARIANT))pie $(LDFLAGS_$(VARIANT)) $(SYSROOT_FLAG)
NEEDED_LDLIBS    = -lsqlite3 -lcjson -lcsv $(SSH_LDLIBS) -lcrypto -ldeflate -lz -lm

COMPILE = $(CC) $(NEEDED_CPPFLAGS) $(CPPFLAGS) $(NEEDED_CFLAGS) $(CFLAGS)
LINK    = $(CC) $(NEEDED_LDFLAGS) $(LDFLAGS)
LIBS    = $(NEEDED_LDLIBS) $(LDLIBS)

ifeq ($(VARIANT),portable)
OLD_GLIBC      := $(B)/tools/portable/glibc_2_17.o
# Named even where a newer glibc has their functions in libc: glibc 2.17 has them in these libraries.
OLD_LIBS       := -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -l:librt.so.1 -Wl,--as-needed
NEEDED_LDLIBS   = -L$(B) -Wl,-Bstatic -lsqlite3 -lcjson -lcsv $(SSH_LDLIBS) -lcrypto -ldeflate -lz \
                  -Wl,-Bdynamic -lm -Wl,--no-as-needed -l:libanl.so.1 $(OLD_LIBS)
OWN_SYMBOLS    := -Wl,-Bsymbolic -Wl,--exclude-libs,ALL
CJSON_LIBRARY  := -Wl,-Bstatic -lcjson -Wl,-Bdynamic
$(OLD_GLIBC) $(B)/portable_program.o $(B)/portable_read.o: tools/portable/glibc_2_17.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(SYSROOT_FLAG) -D_GNU_SOURCE $(if $(filter %program.o,$@),-DPORTABLE_PROGRAM) $(if $(filter %read.o,$@),-DPORTABLE_READ) -std=c17 -pthread \
	    $(filter-out -Wmissing-prototypes,$(WARNINGS)) -Wno-maybe-uninitialized $(CFLAGS_portable) -fPIC -fvisibility=hidden -c $< -o $@
endif
CJSON_LIBRARY ?= -lcjson

# A line for each step; 'make V=1' shows the commands themselves.
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $@;)

# The recipes that several targets have.
link-program = $(call say,LINK)$(LINK) $(1) $(filter %.o,$^) $(filter %.a,$^) $(LIBS) $(2) -o $@
link-acl     = $(call say,LINK)$(LINK) $< -L$(B) -lmsprof_acl -Wl,-rpath,'$$ORIGIN/../..' $(LDLIBS) -o $@
archive      = @rm -f $@$(newline)$(call say,AR)$(AR) rcsD $@ $(filter %.o,$^)
define newline


endef

# A stamp holds a text and is as old as the text: what depends on it is made anew when, say, the flags change.
# usage: $(call write-stamp,TEXT)
write-stamp = @mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(1))' >$@
.PHONY: FORCE
$(B)/flags: FORCE
	$(call write-stamp,$(subst $(CURDIR),,$(COMPILE) $(LINK) $(filter-out $(SSH_LDLIBS),$(LIBS))))
# Of the SSH library only what is linked with it knows.
$(B)/ssh-library: FORCE
	$(call write-stamp,$(SSH_LDLIBS))
# Before anything is compiled: a library that is missing is named with its package, not by the first file that includes it.
SSH_HEADER_libssh2 := libssh2.h
SSH_HEADER_libssh  := libssh/libssh.h
LIBRARY_HEADERS := sqlite3.h cjson/cJSON.h csv.h $(if $(WITH_COLLECT),$(SSH_HEADER_$(SSH))) openssl/evp.h zlib.h libdeflate.h xxhash.h archive.h $(if $(WITH_TUI),ncurses.h)
$(B)/libraries: $(B)/flags $(B)/ssh-library tools/check-libraries.sh
	@tools/check-libraries.sh '$(LIBRARY_HEADERS)' $(CC) $(SYSROOT_FLAG) $(CPPFLAGS) && touch $@
$(B)/prefix: FORCE
	$(call write-stamp,$(prefix) $(libdir) $(includedir) $(PROGRAM))

# --- the program ---

# Every C file below a folder: a new room needs no line here.
below = $(sort $(shell find $(1) -name '*.$(2)'))

KIND_SOURCES := $(filter-out parsers/kinds/common/%,$(call below,parsers/kinds,c)) $(sort $(wildcard features/*/kinds/*.c))
KINDS        := $(sort $(notdir $(KIND_SOURCES:.c=)))
# Commands of features print as those of cli/ do: they are of the program, not of the library.
ALL_COMMANDS    := $(sort $(wildcard features/*/commands/*.c))
COMMAND_SOURCES := $(filter-out $(if $(WITH_TUI),%/without_tui.c,$(filter-out %/without_tui.c,$(wildcard features/tui/commands/*.c))),$(ALL_COMMANDS))
LIB_SOURCES  := $(filter-out features/cluster/mpi/% $(ALL_COMMANDS) ssh/transport/$(OTHER_SSH).c,$(call below,base parsers db exporters features $(if $(WITH_COLLECT),ssh),c)) \
                acl/subscribe/operator_names.c acl/subscribe/operator_names_writer.c acl/subscribe/operator_record.c
CLI_SOURCES  := $(filter-out $(if $(WITH_COLLECT),cli/without_collect.c,cli/collect/%),$(call below,cli,c)) $(COMMAND_SOURCES)
LIB_OBJECTS  := $(LIB_SOURCES:%.c=$(B)/%.o)
CLI_OBJECTS  := $(CLI_SOURCES:%.c=$(B)/%.o)
KIND_LIST    := $(B)/generated/kind_list.h
REPORTS      := $(sort $(shell grep -rhoE '^const struct report report_[a-z0-9_]+ =' exporters/reports features | sed -E 's/.* report_(.*) =/\1/'))
REPORT_FILES := $(call below,exporters/reports features,report)
REPORT_TEXTS := $(basename $(notdir $(REPORT_FILES)))
REPORT_LIST  := $(B)/generated/report_list.h
REPORT_BYTES := $(B)/generated/report_texts.h
TRACKS       := $(sort $(notdir $(basename $(wildcard exporters/timeline/tracks/*.c features/*/tracks/*.c))))
TRACK_LIST   := $(B)/generated/track_list.h
TREES        := $(sort $(shell grep -rhoE '^const struct capture_tree tree_[a-z0-9_]+ =' features | sed -E 's/.* tree_(.*) =/\1/'))
TREE_LIST    := $(B)/generated/tree_list.h
COMMANDS     := $(shell awk '/^const struct / {name = ""} /^const struct command command_/ {name = $$4} /^    \.order =/ && name != "" {print $$3 + 0, toupper(name), name}' $(CLI_SOURCES) | sort -n | awk '{print $$2 "," $$3}')
COMMAND_LIST := $(B)/generated/command_list.h
RULES        := $(shell awk '/^const struct rule rule_/ {name = $$4} /^    \.order =/ {print $$3 + 0, name}' $(wildcard features/*/rules/*.c) | sort -n | awk '{print $$2}')
RULE_LIST    := $(B)/generated/rule_list.h
# What features add to the core (exporters/extension.h, cli/extension.h), by .order where they have one.
EXPORT_EXTENSIONS  := $(sort $(shell grep -rhoE '^const struct export_extension export_extension_[a-z0-9_]+ =' features | cut -d ' ' -f 4))
EXPORT_EXTENSION_LIST := $(B)/generated/export_extension_list.h
COMMAND_EXTENSIONS := $(shell awk '/^const struct command_extension / {name = $$4} match($$0, /\.order = [0-9]+/) && name != "" {print substr($$0, RSTART + 9) + 0, name; name = ""}' $(COMMAND_SOURCES) | sort -n | awk '{print $$2}')
COMMAND_EXTENSION_LIST := $(B)/generated/command_extension_list.h
# Documents that msprof mcp serves (features/mcp/commands/resources.c).
RESOURCES    := docs/agents.md docs/answers.md docs/schemas.md man/msprof-schema.5 $(sort $(wildcard docs/schemas/*.json))
RESOURCE_LIST := $(B)/generated/resource_list.h
# What the program says in Chinese (cli/language.c).
CATALOGUE    := $(B)/generated/catalogue_zh_CN.h
LISTS        := $(CATALOGUE) $(KIND_LIST) $(REPORT_LIST) $(REPORT_BYTES) $(TRACK_LIST) $(TREE_LIST) $(COMMAND_LIST) $(RULE_LIST) $(RESOURCE_LIST) $(EXPORT_EXTENSION_LIST) $(COMMAND_EXTENSION_LIST)

# A variant whose code is tied to one address has no libmsprof.
WITH_READ := $(if $(NO_PIE_$(VARIANT)),,yes)

all: program $(if $(WITH_READ),read) $(if $(WITH_ACL),library preload) manual completions ## build build/msprof, libmsprof, libmsprof_acl, manual and completion scripts (the default)

.PHONY: program
program: $(B)/msprof $(if $(filter release,$(notdir $(B))),$(BUILD)/msprof)

$(BUILD)/msprof: $(BUILD)/release/msprof
	@ln -sf release/msprof $@

$(B)/msprof: $(LIB_OBJECTS) $(CLI_OBJECTS) $(if $(OLD_GLIBC),$(B)/portable_program.o) $(B)/flags $(B)/ssh-library
	$(call link-program)

$(B)/%.o: %.c $(B)/flags | $(B)/libraries $(LISTS)
	@mkdir -p $(@D)
	$(call say,CC)$(COMPILE) -MMD -MP -c $< -o $@

# Only these objects know where msprof is installed.
$(B)/cli/capture/captures.o: $(B)/prefix
$(B)/cli/capture/captures.o: private NEEDED_CPPFLAGS += -DMSPROF_PREFIX='"$(prefix)"'

# The commit that the program says it is of: git's, or the one that git wrote into the source archive.
COMMIT := $(shell [ -e .git ] && git rev-parse --short=8 HEAD 2>/dev/null || grep -oE '^[0-9a-f]{8,}$$' tools/commit)
$(B)/commit: FORCE
	$(call write-stamp,$(COMMIT))
$(B)/cli/main.o $(B)/cli/cmd_doctor.o: $(B)/commit
$(B)/cli/main.o $(B)/cli/cmd_doctor.o: private NEEDED_CPPFLAGS += -DMSPROF_COMMIT='"$(COMMIT)"'

# This one knows where the libraries are installed.
$(B)/features/record/commands/cmd_run.o: $(B)/prefix
$(B)/features/record/commands/cmd_run.o: private NEEDED_CPPFLAGS += -DMSPROF_LIBDIR='"$(libdir)"'

# The list of record kinds is the list of files below parsers/kinds/ and features/*/kinds/, but for what they have in common: adding a kind touches
# no other file.
$(KIND_LIST): FORCE
	$(call write-stamp,$(patsubst %,KIND(%),$(KINDS)))

# A report is a "const struct report report_NAME" or a text NAME.report below exporters/reports/ or features/.
$(REPORT_LIST): FORCE
	$(call write-stamp,$(foreach name,$(sort $(REPORTS) $(REPORT_TEXTS)),$(if $(filter $(name),$(REPORT_TEXTS)),TEXT,REPORT)($(name))))

$(REPORT_BYTES): $(REPORT_FILES) $(REPORT_LIST)
	@for file in $(REPORT_FILES); do \
	    name=$${file##*/} name=$${name%.report}; \
	    printf '#define file_%s "%s"\nstatic const char text_%s[] = {' "$$name" "$$file" "$$name"; \
	    od -An -v -tu1 "$$file" | sed 's/[0-9][0-9]*/&,/g'; echo '0};'; \
	done >$@.new && mv $@.new $@

# Layers of the timeline: the files of exporters/timeline/tracks/ and features/*/tracks/.
$(TRACK_LIST): FORCE
	$(call write-stamp,$(patsubst %,TRACK(%),$(TRACKS)))

# A family of captures that are trees is a "const struct capture_tree tree_NAME" below features/, with its outputs_NAME and feature_NAME.
$(TREE_LIST): FORCE
	$(call write-stamp,$(patsubst %,TREE(%),$(TREES)))

# A rule of advice is a "const struct rule rule_NAME" in features/*/rules/; the order is that of its .order.
$(RULE_LIST): FORCE
	$(call write-stamp,$(patsubst %,RULE(%),$(RULES)))

# A command is a "const struct command command_NAME" below cli/ or features/*/commands/; the order is that of its .order.
$(COMMAND_LIST): FORCE
	$(call write-stamp,$(patsubst %,COMMAND(%),$(COMMANDS)))

$(EXPORT_EXTENSION_LIST): FORCE
	$(call write-stamp,$(patsubst %,EXTENSION(%),$(EXPORT_EXTENSIONS)))
$(COMMAND_EXTENSION_LIST): FORCE
	$(call write-stamp,$(patsubst %,EXTENSION(%),$(COMMAND_EXTENSIONS)))

$(B)/nls: FORCE
	$(call write-stamp,$(NLS))
$(CATALOGUE): po/zh_CN.po po/catalogue.awk $(B)/nls
	@mkdir -p $(@D)
	$(call say,GEN)awk -f po/catalogue.awk $(if $(filter-out no,$(NLS)),$<,/dev/null) >$@

# Each is a line: its number, its path and its bytes.
$(RESOURCE_LIST): $(RESOURCES) Makefile
	@mkdir -p $(@D)
	@number=0; for file in $(RESOURCES); do \
	    printf 'RESOURCE(%d, "%s", ' $$number "$$file"; \
	    od -An -v -tu1 "$$file" | sed 's/[0-9][0-9]*/&,/g' | tr -d ' \n' | sed 's/,$$/)/'; \
	    echo; number=$$((number + 1)); \
	done >$@.new && mv $@.new $@

# --- msprof-mpi: a cluster's analysis by many processes; only where MPI is installed ---

MPICC       ?= mpicc
MPI_OBJECTS := $(patsubst %.c,$(B)/%.o,$(call below,features/cluster/mpi,c))
MPI_FLAGS    = $(shell $(MPICC) --showme:$(1) 2>/dev/null)

.PHONY: mpi
mpi: $(B)/msprof-mpi ## build build/msprof-mpi, 'msprof cluster' for mpirun (needs an MPI: libopenmpi-dev)
	$(if $(filter release,$(notdir $(B))),@ln -sf release/msprof-mpi $(BUILD)/msprof-mpi)

$(MPI_OBJECTS): private NEEDED_CPPFLAGS += $(call MPI_FLAGS,compile)
$(B)/msprof-mpi: $(LIB_OBJECTS) $(filter-out $(B)/cli/main.o,$(CLI_OBJECTS)) $(MPI_OBJECTS) $(B)/flags
	$(call link-program,,$(call MPI_FLAGS,link))

# --- the library that reads captures: libmsprof ---

# Of the objects of the program, but for what prints and what speaks SSH; its functions are those of api/libmsprof.map.
API_SOURCES := $(call below,api,c)
API_OBJECTS := $(API_SOURCES:%.c=$(B)/%.o)
READ_OBJECTS = $(API_OBJECTS) $(filter-out $(B)/ssh/%,$(LIB_OBJECTS))
READ_SONAME := libmsprof.so.1
READ_PYTHON := python/msprof/__init__.py python/msprof/reading.py python/msprof/py.typed
READ_FILES  := $(B)/$(READ_SONAME) $(B)/libmsprof.so $(B)/msprof.pc $(B)/MsprofConfig.cmake $(B)/MsprofConfigVersion.cmake

.PHONY: read
read: $(READ_FILES) ## build libmsprof, with which programs read captures

$(B)/api/capture.o: $(B)/prefix
$(B)/api/capture.o: private NEEDED_CPPFLAGS += -DMSPROF_PREFIX='"$(prefix)"'

# What is linked into the portable one, such as SQLite, stays its own: also where the program has another SQLite.
$(B)/$(READ_SONAME): $(READ_OBJECTS) $(if $(OLD_GLIBC),$(B)/portable_read.o) api/libmsprof.map $(B)/flags
	$(call say,LINK)$(LINK_SHARED) -Wl,-z,defs -Wl,-soname,$(READ_SONAME) $(OWN_SYMBOLS) \
	    -Wl,--version-script=api/libmsprof.map $(filter %.o,$^) -Wl,--as-needed $(filter-out $(SSH_LDLIBS),$(LIBS)) -o $@

$(B)/libmsprof.so: $(B)/$(READ_SONAME)
	@ln -sf $(<F) $@

$(B)/msprof.pc $(B)/MsprofConfig.cmake $(B)/MsprofConfigVersion.cmake: $(B)/%: api/%.in $(B)/prefix
	$(call say,GEN)sed -e 's|@PREFIX@|$(prefix)|' -e 's|@LIBDIR@|$(libdir)|' -e 's|@INCLUDEDIR@|$(includedir)|' \
	    -e 's|@VERSION@|$(VERSION)|' $< >$@

# --- the collecting library: libmsprof_acl ---

# A program gets the functions that acl/libmsprof_acl.map names: all others are hidden in the shared library, and made
# local in the one object of the static library.
ACL_SOURCES  := $(filter-out acl/preload/% acl/tools_ext/% acl/subscribe/operator_names_writer.c,$(call below,acl,c))
ACL_OBJECTS  := $(ACL_SOURCES:%.c=$(B)/%.o)
PIC_OBJECTS  := $(ACL_SOURCES:%.c=$(B)/pic/%.o)
PIC_BASE     := $(patsubst %.c,$(B)/pic/%.o,$(call below,base,c) features/options/rule.c)
ACL_HEADERS  := $(filter-out include/msprof/msprof.h,$(sort $(wildcard include/msprof/*.h include/msprof/compat/*.h include/msprof/compat/*/*.h include/mstx/*.h)))
PYTHON_FILES := python/msprof_acl.py python/acl/__init__.py python/mstx.py python/msprof/mstx.py
ACL_SONAME   := libmsprof_acl.so.1
ACL_FILES    := $(B)/$(ACL_SONAME) $(B)/libmsprof_acl.so $(B)/libmsprofiler.so $(B)/libmsprof_acl.a $(B)/msprof_acl.pc
LINK_SHARED   = $(CC) -pthread -shared $(LDFLAGS_$(VARIANT)) $(SYSROOT_FLAG) $(LDFLAGS)

.PHONY: acl library
acl: library preload ## build both libraries that record
library: $(ACL_FILES) ## build libmsprof_acl: shared, static, pkg-config file

$(B)/pic/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC)$(COMPILE) -fPIC -fvisibility=hidden -MMD -MP -c $< -o $@

# As a library of parts: the linker takes the ones that are needed.
$(B)/pic/libbase.a: $(PIC_BASE)
	$(archive)

# For tests, which reach what the libraries hide: each takes the parts that it needs.
$(B)/lib.a: $(LIB_OBJECTS) $(B)/ssh-library
	$(archive)
$(B)/acl.a: $(filter-out $(LIB_OBJECTS),$(ACL_OBJECTS))
	$(archive)

# Never unloaded: its handlers and its thread may run at any time.
$(B)/$(ACL_SONAME): $(PIC_OBJECTS) $(OLD_GLIBC) $(B)/pic/libbase.a acl/libmsprof_acl.map $(B)/flags
	$(call say,LINK)$(LINK_SHARED) -Wl,-z,nodelete -Wl,-soname,$(ACL_SONAME) -Wl,--version-script=acl/libmsprof_acl.map \
	    $(filter %.o %.a,$^) -Wl,--as-needed -L$(B) $(CJSON_LIBRARY) $(OLD_LIBS) $(LDLIBS) -o $@

# The second is the name that programs give CANN's own.
$(B)/libmsprof_acl.so $(B)/libmsprofiler.so: $(B)/$(ACL_SONAME)
	@ln -sf $(<F) $@

$(B)/libmsprof_acl.a: $(PIC_OBJECTS) $(B)/pic/libbase.a
	@rm -f $@ $(B)/pic/libmsprof_acl.o
	$(call say,AR)$(LD) -r -o $(B)/pic/libmsprof_acl.o $^ && $(OBJCOPY) --localize-hidden $(B)/pic/libmsprof_acl.o && \
	    $(AR) rcsD $@ $(B)/pic/libmsprof_acl.o

$(B)/msprof_acl.pc: acl/msprof_acl.pc.in $(B)/prefix
	$(call say,GEN)sed -e 's|@PREFIX@|$(prefix)|' -e 's|@LIBDIR@|$(libdir)|' -e 's|@INCLUDEDIR@|$(includedir)|' \
	    -e 's|@VERSION@|$(VERSION)|' $< >$@

-include $(PIC_OBJECTS:.o=.d) $(PIC_BASE:.o=.d)

# --- the preload library: libmsprof_preload ---

# It goes into programs that know nothing of it, so no variant gives it a sanitizer. It holds a recorder of its own.
PRELOAD_LIST    := $(B)/generated/preload_functions.h
RECORDER_SOURCES := $(call below,acl/recorder acl/mstx,c)
PRELOAD_SOURCES := $(sort $(wildcard acl/preload/*.c acl/preload/*.S)) $(RECORDER_SOURCES)
PRELOAD_BASE    := $(patsubst %.c,$(B)/preload/%.o,$(call below,base,c))
PRELOAD_OBJECTS := $(addprefix $(B)/preload/,$(addsuffix .o,$(basename $(PRELOAD_SOURCES))))
PRELOAD_LIBRARY := $(B)/libmsprof_preload.so
TOOLS_LIBRARY   := $(B)/libms_tools_ext.so
PLAIN_COMPILE    = $(CC) $(NEEDED_CPPFLAGS) $(CPPFLAGS) -std=c17 -pthread $(WARNINGS) $(OPTIMIZED) $(CFLAGS)

.PHONY: preload
preload: $(PRELOAD_LIBRARY) $(TOOLS_LIBRARY) ## build libmsprof_preload, which records the ACL calls of any program

$(PRELOAD_LIST): acl/preload/functions.list acl/preload/functions.awk
	@mkdir -p $(@D)
	$(call say,GEN)awk -f acl/preload/functions.awk $< >$@

$(B)/preload/%.o: %.c $(B)/flags | $(PRELOAD_LIST)
	@mkdir -p $(@D)
	$(call say,CC)$(PLAIN_COMPILE) -fPIC -fvisibility=hidden -MMD -MP -c $< -o $@

$(B)/preload/%.o: %.S $(B)/flags | $(PRELOAD_LIST)
	@mkdir -p $(@D)
	$(call say,AS)$(CC) $(NEEDED_CPPFLAGS) $(CPPFLAGS) -fPIC -MMD -MP -c $< -o $@

$(B)/preload/libbase.a: $(PRELOAD_BASE)
	$(archive)

# Never unloaded: its handlers and its thread may run at any time.
$(PRELOAD_LIBRARY): $(PRELOAD_OBJECTS) $(OLD_GLIBC) $(B)/preload/libbase.a acl/preload/libmsprof_preload.map $(B)/flags
	$(call say,LINK)$(CC) -pthread -shared $(HARDENED) -Wl,-z,nodelete -Wl,-z,defs -Wl,-soname,$(@F) \
	    -Wl,--version-script=acl/preload/libmsprof_preload.map $(LDFLAGS) \
	    $(SYSROOT_FLAG) $(if $(OLD_GLIBC),-static-libgcc) $(filter %.o %.a,$^) $(OLD_LIBS) $(LDLIBS) -o $@

# mstx as a library, for programs that want it by the name that CANN's has.
$(TOOLS_LIBRARY): $(B)/preload/acl/tools_ext/ms_tools_ext.o $(OLD_GLIBC) $(B)/flags
	$(call say,LINK)$(CC) -pthread -shared $(HARDENED) -Wl,-z,defs -Wl,-soname,$(@F) $(LDFLAGS) $(SYSROOT_FLAG) \
	    $(if $(OLD_GLIBC),-static-libgcc) $(filter %.o %.a,$^) $(OLD_LIBS) $(LDLIBS) -o $@

# For 'make lint', which compiles them as the others.
$(patsubst %.c,$(B)/%.o,$(wildcard acl/preload/*.c)): | $(PRELOAD_LIST)

-include $(PRELOAD_OBJECTS:.o=.d) $(B)/preload/acl/tools_ext/ms_tools_ext.d $(PRELOAD_BASE:.o=.d)

# A folder's name is no file that is made: each stands for what is made of it.
FOLDERS := base parsers db exporters features ssh cli
.PHONY: $(FOLDERS) man tests
$(FOLDERS): program
man: manual
tests: test-programs

# --- manual and completion scripts ---

MAN_PAGES   := $(patsubst man/%,$(B)/man/%,$(sort $(wildcard man/*.[1-8]) $(patsubst %.in,%,$(wildcard man/*.in))))
# The pages in Chinese: tests/docs/chinese.bats holds them to those in English.
ZH_PAGES    := $(patsubst man/%,$(B)/man/%,$(sort $(patsubst %.in,%,$(wildcard man/zh_CN/man1/*))))
COMPLETIONS := $(addprefix $(B)/completions/msprof.,bash zsh fish)

# The functions of the library that share a page: NAME.3:PAGE.3, after the pages' .Nm and .Fn lines.
MAN_LINKS := $(shell awk 'FILENAME ~ /map$$/ { if (sub(/;$$/, "")) wanted[$$1] = 1; next } \
    FNR == 1 { page = FILENAME; sub(".*/", "", page) } \
    /^\.(Nm|Fn) / && ($$2 in wanted || ($$2 ~ /^mstx[A-Z]/ && !($$2 in seen))) { delete wanted[$$2]; seen[$$2]; if (page != $$2 ".3") print $$2 ".3:" page }' \
    acl/libmsprof_acl.map $(sort $(wildcard man/*.3)))
# Those of libmsprof have one page.
READ_LINKS := $(shell sed -nE 's/^    (msprof_[a-z_]+);$$/\1.3:msprof_open.3/p' api/libmsprof.map | grep -v '^msprof_open\.3:')

# The program that prints parts of the manual and the completion: it must run here, so a cross build has one of this machine.
HOST_MSPROF ?= $(if $(CROSS),$(BUILD)/release/msprof,$(B)/msprof)
ifneq (,$(CROSS))
$(BUILD)/release/msprof: FORCE
	$(MAKE) CROSS= SYSROOT= CC=cc AR=ar LD=ld OBJCOPY=objcopy VARIANT=release program
endif

.PHONY: manual completions
manual: $(MAN_PAGES) $(ZH_PAGES) ## build the manual pages
completions: $(COMPLETIONS) ## build the completion scripts

$(B)/man/%: man/% $(B)/prefix
	@mkdir -p $(@D)
	$(call say,MAN)sed -e 's|/usr/local/share|$(prefix)/share|' -e 's|/usr/local/lib|$(libdir)|' $< >$@

# A line '@msprof WORDS@' of a page with a .in stands for what that command prints: rows that are made of tables.
EXPAND = awk -v msprof=$(HOST_MSPROF) '/^@msprof .*@$$/ { fflush(); \
    if (system(msprof substr($$0, 8, length($$0) - 8)) != 0) exit 1; next } { print }' $<
$(B)/man/%: man/%.in $(HOST_MSPROF) $(B)/prefix
	@mkdir -p $(@D)
	$(call say,MAN)$(EXPAND) | sed -e 's|/usr/local/share|$(prefix)/share|' >$@

FIT_CHINESE = sed -e 's|/usr/local/share|$(prefix)/share|' -e 's|/usr/local/lib|$(libdir)|' | LC_ALL=C sed -E -f tools/chinese-man.sed
$(B)/man/zh_CN/%: man/zh_CN/% tools/chinese-man.sed $(B)/prefix
	@mkdir -p $(@D)
	$(call say,MAN)cat $< | $(FIT_CHINESE) >$@

$(B)/man/zh_CN/%: man/zh_CN/%.in tools/chinese-man.sed $(HOST_MSPROF) $(B)/prefix
	@mkdir -p $(@D)
	$(call say,MAN)$(EXPAND) | $(FIT_CHINESE) >$@

# Only the lines of a script that name the program to the shell know what it is installed as.
$(B)/completions/msprof.%: $(HOST_MSPROF) $(B)/prefix
	@mkdir -p $(@D)
	$(call say,GEN)$(HOST_MSPROF) completion $* | sed -E -e 's/^(#compdef | *compdef _msprof |complete -F _msprof )msprof$$/\1$(PROGRAM)/' \
	    -e 's/^(complete -c )msprof /\1$(PROGRAM) /' >$@

# --- install: what 'uninstall' removes is what INSTALLED lists ---

bindir      ?= $(prefix)/bin
libdir      ?= $(prefix)/lib
includedir  ?= $(prefix)/include
datadir     ?= $(prefix)/share
mandir      ?= $(datadir)/man
bashdir     ?= $(datadir)/bash-completion/completions
zshdir      ?= $(datadir)/zsh/site-functions
fishdir     ?= $(datadir)/fish/vendor_completions.d
layoutdir   := $(prefix)/share/msprof/layouts
reportdir   := $(prefix)/share/msprof/reports
schemadir   := $(prefix)/share/msprof/schemas
LAYOUTS     := $(sort $(wildcard features/layouts/*.layout))
SCHEMAS     := $(sort $(wildcard docs/schemas/*.json))
pythondir   := $(prefix)/share/msprof/python
INSTALL     ?= install

install_man = $(mandir)/man$(subst .,,$(suffix $(1)))/$(notdir $(1))
INSTALLED   = $(bindir)/$(PROGRAM) $(bashdir)/$(PROGRAM) $(zshdir)/_$(PROGRAM) $(fishdir)/$(PROGRAM).fish \
              $(foreach page,$(MAN_PAGES),$(call install_man,$(page))) $(if $(filter-out msprof,$(PROGRAM)),$(mandir)/man1/$(PROGRAM).1) \
              $(ZH_PAGES:$(B)/man/%=$(mandir)/%) $(if $(filter-out msprof,$(PROGRAM)),$(mandir)/zh_CN/man1/$(PROGRAM).1) \
              $(LAYOUTS:features/layouts/%=$(layoutdir)/%) $(SCHEMAS:docs/schemas/%=$(schemadir)/%) $(if $(WITH_READ),$(INSTALLED_READ)) $(if $(WITH_ACL),$(INSTALLED_ACL))
INSTALLED_READ = $(foreach link,$(READ_LINKS),$(mandir)/man3/$(firstword $(subst :, ,$(link)))) \
              $(addprefix $(libdir)/,$(READ_SONAME) libmsprof.so pkgconfig/msprof.pc cmake/Msprof/MsprofConfig.cmake cmake/Msprof/MsprofConfigVersion.cmake) \
              $(includedir)/msprof/msprof.h $(READ_PYTHON:python/%=$(pythondir)/%)
INSTALLED_ACL = $(foreach link,$(MAN_LINKS),$(mandir)/man3/$(firstword $(subst :, ,$(link)))) \
              $(addprefix $(libdir)/,$(ACL_SONAME) libmsprof_acl.so libmsprofiler.so libmsprof_acl.a pkgconfig/msprof_acl.pc) \
              $(addprefix $(libdir)/msprof/,$(notdir $(PRELOAD_LIBRARY) $(TOOLS_LIBRARY))) $(ACL_HEADERS:include/%=$(includedir)/%) $(PYTHON_FILES:python/%=$(pythondir)/%)
# Directories of our own that are to go when they are empty, inner ones first.
OWN_DIRECTORIES = $(libdir)/cmake/Msprof $(libdir)/msprof $(layoutdir) $(reportdir) $(schemadir) $(pythondir)/acl $(pythondir)/msprof $(pythondir) $(datadir)/msprof $(includedir)/msprof/compat/acl $(includedir)/msprof/compat $(includedir)/msprof \
                  $(includedir)/mstx

.PHONY: install install-program install-read install-acl uninstall
install: all install-program $(if $(WITH_READ),install-read) $(if $(WITH_ACL),install-acl) ## install below DESTDIR and prefix (/usr/local); as another name: PROGRAM=NAME

install-program:
	$(INSTALL) -D -m 755 $(B)/msprof '$(DESTDIR)$(bindir)/$(PROGRAM)'
	$(INSTALL) -D -m 644 $(B)/completions/msprof.bash '$(DESTDIR)$(bashdir)/$(PROGRAM)'
	$(INSTALL) -D -m 644 $(B)/completions/msprof.zsh '$(DESTDIR)$(zshdir)/_$(PROGRAM)'
	$(INSTALL) -D -m 644 $(B)/completions/msprof.fish '$(DESTDIR)$(fishdir)/$(PROGRAM).fish'
	$(foreach page,$(MAN_PAGES),$(INSTALL) -D -m 644 $(page) '$(DESTDIR)$(call install_man,$(page))' &&) :
	$(foreach page,$(ZH_PAGES),$(INSTALL) -D -m 644 $(page) '$(DESTDIR)$(page:$(B)/man/%=$(mandir)/%)' &&) :
	$(if $(filter-out msprof,$(PROGRAM)),ln -sf msprof.1 '$(DESTDIR)$(mandir)/man1/$(PROGRAM).1')
	$(if $(filter-out msprof,$(PROGRAM)),ln -sf msprof.1 '$(DESTDIR)$(mandir)/zh_CN/man1/$(PROGRAM).1')
	$(INSTALL) -d -m 755 '$(DESTDIR)$(layoutdir)' '$(DESTDIR)$(reportdir)'
	$(foreach file,$(LAYOUTS),$(INSTALL) -m 644 $(file) '$(DESTDIR)$(layoutdir)' &&) :
	$(foreach file,$(SCHEMAS),$(INSTALL) -D -m 644 $(file) '$(DESTDIR)$(file:docs/schemas/%=$(schemadir)/%)' &&) :

install-read:
	$(INSTALL) -d -m 755 '$(DESTDIR)$(mandir)/man3'
	for link in $(READ_LINKS); do \
	    ln -sf "$${link#*:}" '$(DESTDIR)$(mandir)/man3/'"$${link%:*}" || exit; done
	$(INSTALL) -D -m 644 include/msprof/msprof.h '$(DESTDIR)$(includedir)/msprof/msprof.h'
	$(INSTALL) -D -m 755 $(B)/$(READ_SONAME) '$(DESTDIR)$(libdir)/$(READ_SONAME)'
	ln -sf $(READ_SONAME) '$(DESTDIR)$(libdir)/libmsprof.so'
	$(INSTALL) -D -m 644 $(B)/msprof.pc '$(DESTDIR)$(libdir)/pkgconfig/msprof.pc'
	$(INSTALL) -D -m 644 -t '$(DESTDIR)$(libdir)/cmake/Msprof' $(B)/MsprofConfig.cmake $(B)/MsprofConfigVersion.cmake
	$(INSTALL) -D -m 644 -t '$(DESTDIR)$(pythondir)/msprof' $(READ_PYTHON)

install-acl:
	for link in $(MAN_LINKS); do \
	    ln -sf "$${link#*:}" '$(DESTDIR)$(mandir)/man3/'"$${link%:*}" || exit; done
	$(foreach header,$(ACL_HEADERS),$(INSTALL) -D -m 644 $(header) '$(DESTDIR)$(header:include/%=$(includedir)/%)' &&) :
	$(INSTALL) -D -m 755 $(B)/$(ACL_SONAME) '$(DESTDIR)$(libdir)/$(ACL_SONAME)'
	ln -sf $(ACL_SONAME) '$(DESTDIR)$(libdir)/libmsprof_acl.so'
	ln -sf $(ACL_SONAME) '$(DESTDIR)$(libdir)/libmsprofiler.so'
	$(INSTALL) -D -m 755 $(PRELOAD_LIBRARY) '$(DESTDIR)$(libdir)/msprof/$(notdir $(PRELOAD_LIBRARY))'
	$(INSTALL) -D -m 755 $(TOOLS_LIBRARY) '$(DESTDIR)$(libdir)/msprof/$(notdir $(TOOLS_LIBRARY))'
	$(INSTALL) -D -m 644 $(B)/libmsprof_acl.a '$(DESTDIR)$(libdir)/libmsprof_acl.a'
	$(INSTALL) -D -m 644 $(B)/msprof_acl.pc '$(DESTDIR)$(libdir)/pkgconfig/msprof_acl.pc'
	$(foreach file,$(PYTHON_FILES),$(INSTALL) -D -m 644 $(file) '$(DESTDIR)$(pythondir)/$(file:python/%=%)' &&) :

uninstall: ## remove what install made; layouts and reports that were put there since stay
	rm -f $(foreach file,$(INSTALLED),'$(DESTDIR)$(file)')
	rm -rf '$(DESTDIR)$(pythondir)/__pycache__' '$(DESTDIR)$(pythondir)/acl/__pycache__' '$(DESTDIR)$(pythondir)/msprof/__pycache__'
	for directory in $(foreach directory,$(OWN_DIRECTORIES),'$(DESTDIR)$(directory)'); do \
	    [ ! -d "$$directory" ] || rmdir --ignore-fail-on-non-empty "$$directory"; done

# --- variants ---

.PHONY: asan tsan clang
asan: ## build build/asan: gcc's address and undefined-behaviour sanitizers
tsan: ## build build/tsan: the thread sanitizer
clang: ## build build/clang: what clang says of the sources
asan tsan clang:
	$(MAKE) VARIANT=$@ program test-programs

# --- tests ---

UNIT_SOURCES   := $(sort $(wildcard tests/unit/*/test_*.c))
UNIT_TESTS     := $(UNIT_SOURCES:%.c=$(B)/%)
TEST_OBJECTS   := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard tests/lib/*.c)))
FUZZ_SOURCES   := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_PROGRAMS  := $(FUZZ_SOURCES:tests/fuzz/%.c=$(BUILD)/fuzz/%)
REPLAY_TESTS   := $(FUZZ_SOURCES:tests/fuzz/fuzz_%.c=$(B)/tests/fuzz/replay_%)

.PHONY: unit-tests replay-tests test-programs check check-fast check-changed check-quick coverage fuzz
unit-tests: $(UNIT_TESTS) ## build the unit tests
replay-tests: $(REPLAY_TESTS) ## build the programs that run the fuzz targets on their corpus

# Tests read the pages as they are built.
test-programs: program manual unit-tests replay-tests generators ssh-test-programs acl-test-programs

# An ACL library that is none, and programs that use it: as plain as the library that is preloaded into them.
PRELOAD_TESTS := $(addprefix $(B)/tests/acl/,libascendcl.so acl_plugin.so acl_program acl_mix acl_signals acl_json_program acl_loader \
    acl_profiled acl_mstx acl_ends)
acl-test-programs: preload $(PRELOAD_TESTS)

$(B)/tests/acl/libascendcl.so: tests/acl/fake_acl.c tests/acl/fake_acl.h $(B)/flags
	@mkdir -p $(@D)
	$(call say,LINK)$(PLAIN_COMPILE) -fPIC -shared $< -o $@

$(B)/tests/acl/acl_plugin.so: tests/acl/acl_plugin.c tests/acl/fake_acl.h $(B)/tests/acl/libascendcl.so $(B)/flags
	$(call say,LINK)$(PLAIN_COMPILE) -fPIC -shared $< -L$(@D) -lascendcl -Wl,-rpath,'$$ORIGIN' -o $@

$(addprefix $(B)/tests/acl/,acl_program acl_mix acl_signals acl_json_program): $(B)/%: %.c tests/acl/fake_acl.h $(B)/tests/acl/libascendcl.so $(B)/flags
	$(call say,LINK)$(PLAIN_COMPILE) -rdynamic $< -L$(@D) -lascendcl -Wl,-rpath,'$$ORIGIN' -o $@

$(addprefix $(B)/tests/acl/,acl_profiled acl_ends): %: %.o $(B)/tests/acl/libascendcl.so $(B)/libmsprof_acl.so $(B)/flags
	$(call say,LINK)$(LINK) $< -L$(@D) -lascendcl -L$(B) -lmsprof_acl -Wl,-rpath,'$$ORIGIN:$$ORIGIN/../..' $(LDLIBS) -o $@

$(B)/tests/acl/acl_loader: tests/acl/acl_loader.c tests/acl/fake_acl.h $(B)/flags
	@mkdir -p $(@D)
	$(call say,LINK)$(PLAIN_COMPILE) $< -o $@

$(B)/tests/acl/acl_mstx: tests/acl/acl_mstx.c $(ACL_HEADERS) $(B)/flags
	@mkdir -p $(@D)
	$(call say,LINK)$(PLAIN_COMPILE) $< -o $@

# Programs as users write them: they know the public headers and the shared library, nothing else.
ACL_TEST_PROGRAMS := $(patsubst %.c,$(B)/%,$(filter-out tests/acl/acl_%.c tests/acl/fake_acl.c,$(sort $(wildcard tests/acl/*.c))))
.PHONY: acl-test-programs
acl-test-programs: library $(ACL_TEST_PROGRAMS)

$(ACL_TEST_PROGRAMS): %: %.o $(B)/libmsprof_acl.so $(B)/flags
	$(link-acl)

$(B)/tests/lib.a: $(TEST_OBJECTS)
	$(archive)

$(UNIT_TESTS): $(B)/tests/unit/%: $(B)/tests/unit/%.o $(B)/tests/lib.a $(B)/acl.a $(B)/lib.a $(B)/flags
	$(call link-program,,-lcmocka)

# One target is about a command: what it is made of, but for the part that speaks.
MCP_OBJECTS := $(patsubst %,$(B)/features/mcp/commands/%.o,confine excerpt protocol resources tools)
$(B)/tests/fuzz/replay_mcp $(BUILD)/fuzz/fuzz_mcp: $(MCP_OBJECTS)

# Another goes by the functions of libmsprof.
$(B)/tests/fuzz/replay_library $(BUILD)/fuzz/fuzz_library: $(API_OBJECTS)

$(REPLAY_TESTS): $(B)/tests/fuzz/replay_%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/replay.o $(B)/acl.a $(B)/lib.a $(B)/flags
	$(call link-program)

# In three steps, because two compilations of everything at once would fight for the same cores.
ifneq (,$(FEATURE))
check: all test-programs
	tests/check --feature $(FEATURE) $(VARIANT)
else
check: ## run all tests: unit, command line and fuzz corpus, then again under ASan and UBSan; of one feature: FEATURE=cluster
	$(MAKE) VARIANT=release all test-programs
	$(MAKE) VARIANT=asan test-programs
	tests/check release asan
endif

check-changed: all test-programs ## run the tests that know what changed since main, by git and the dependency files
	tests/check --only $$(tools/changed-tests.sh $(B)) : $(VARIANT)

check-quick: all unit-tests generators ## run unit tests and tables against values that stand in files: about a minute
	tests/check --quick $(VARIANT)

check-fast: all test-programs ## run the tests of VARIANT only (release): make check-fast VARIANT=tsan
	tests/check $(VARIANT)

.PHONY: check-threads
check-threads: ## captures side by side by libmsprof, under the thread sanitizer
	@if echo 'int main(void) { return 0; }' | $(CC) -fsanitize=thread -x c - -o /dev/null 2>/dev/null; then \
	    $(MAKE) --no-print-directory check-threads-with-sanitizer; \
	else echo 'check-threads is skipped: $(CC) has no thread sanitizer'; fi

.PHONY: check-threads-with-sanitizer
check-threads-with-sanitizer:
	$(MAKE) VARIANT=tsan $(BUILD)/tsan/libmsprof.so.1
	rm -rf $(BUILD)/tsan/captures $(BUILD)/tsan/ranks && mkdir $(BUILD)/tsan/captures
	cp -R testdata/resnet50/JOB* testdata/cann/prof-910b/PROF* $(BUILD)/tsan/captures
	$(CC) -std=c17 -g -fsanitize=thread -Iinclude tests/library/threads.c -pthread $(BUILD)/tsan/libmsprof.so.1 -lsqlite3 \
	    -Wl,-rpath,'$(abspath $(BUILD)/tsan)' -o $(BUILD)/tsan/threads
	python3 tests/cluster/rank_tables.py make $(BUILD)/tsan/ranks 1
	$(BUILD)/tsan/threads $(BUILD)/tsan/captures/* $(BUILD)/tsan/ranks

.PHONY: check-aarch64
check-aarch64: program generators ## the whole program on an emulated aarch64: its outputs are those of this machine
	tools/check-aarch64.sh $(B)

coverage: ## run the tests on build/coverage, report in build/coverage/report/index.html
	$(MAKE) VARIANT=coverage test-programs
	find build/coverage -name '*.gcda' -delete
	@mkdir -p build/coverage/report
	tests/check coverage; status=$$?; \
	gcovr --root . --object-directory build/coverage --filter '(base|parsers|db|exporters|features|ssh|acl|cli)/' \
	    --html-details build/coverage/report/index.html --print-summary build/coverage && exit $$status

fuzz: ## build the libFuzzer targets build/fuzz/fuzz_*; tools/fuzz.sh runs them
	$(MAKE) VARIANT=fuzz $(FUZZ_PROGRAMS)

ifeq ($(VARIANT),fuzz)
$(FUZZ_PROGRAMS): $(BUILD)/fuzz/fuzz_%: $(B)/tests/fuzz/fuzz_%.o $(B)/acl.a $(B)/lib.a $(B)/flags
	$(call link-program,-fsanitize=fuzzer)
endif

# --- captures and benchmarks ---

# The generator knows base/ and parsers/ only: it writes with the encoder what the decoder is to read.
GENERATE_SOURCES := $(sort $(wildcard testdata/generate/*.c))
GENERATE_OBJECTS := $(GENERATE_SOURCES:%.c=$(B)/%.o)
GENERATE_COMMON  := $(filter-out $(B)/testdata/generate/make_%,$(GENERATE_OBJECTS)) $(filter $(B)/base/% $(B)/parsers/%,$(LIB_OBJECTS)) \
                    $(patsubst %.c,$(B)/%.o,$(call below,$(wildcard features/*/kinds),c))
GENERATORS       := $(B)/make-capture $(B)/make-figures
RANK_GENERATOR   := $(B)/make-ranks

$(GENERATORS): $(B)/make-%: $(B)/testdata/generate/make_%.o $(GENERATE_COMMON) $(B)/flags
	$(call link-program)

$(RANK_GENERATOR): $(B)/testdata/generate/make_ranks.o $(LIB_OBJECTS) $(B)/flags
	$(call link-program)

.PHONY: generators captures bench
generators: $(GENERATORS) $(RANK_GENERATOR) ## build make-capture and make-figures, which write SVP captures

captures: $(GENERATORS) ## write the captures under testdata/ anew
	rm -rf testdata/resnet50 testdata/small testdata/figures testdata/cann
	testdata/generate/shipped.sh $(B) testdata

# The "board" of the tests of collect: a program that leaves a capture, and a network that breaks.
SSH_TEST_PROGRAMS := $(B)/tests/ssh/board_program $(B)/tests/ssh/cutting_proxy
.PHONY: ssh-test-programs bench-collect
ssh-test-programs: $(SSH_TEST_PROGRAMS) $(if $(WITH_COLLECT),$(B)/other-ssh/msprof)

# The program with the other SSH library, for the tests that are about the connection (see tests/check): one object more.
OTHER_SSH_OBJECT := $(B)/ssh/transport/$(OTHER_SSH).o
$(B)/other-ssh/msprof: private SSH := $(OTHER_SSH)
$(B)/other-ssh/msprof: $(filter-out $(B)/ssh/transport/$(SSH).o,$(LIB_OBJECTS)) $(OTHER_SSH_OBJECT) $(CLI_OBJECTS) $(B)/flags $(B)/ssh-library
	@mkdir -p $(@D)
	$(link-program)
-include $(OTHER_SSH_OBJECT:.o=.d)
-include $(SSH_TEST_PROGRAMS:=.d)

$(SSH_TEST_PROGRAMS): %: %.o $(GENERATE_COMMON) $(B)/flags
	$(call link-program)

bench-collect: program ## measure collect's transfer beside ssh tar and sftp
	tests/bench/bench_collect.sh $(B)

BENCH_PROGRAMS := $(B)/tests/bench/measure $(B)/tests/bench/ceiling
$(BENCH_PROGRAMS): %: %.o $(filter $(B)/base/%,$(LIB_OBJECTS)) $(B)/flags
	$(call link-program)

bench: program $(B)/make-capture $(RANK_GENERATOR) $(BENCH_PROGRAMS) ## measure import, export and answers at BENCH_SIZES records
	tests/bench/bench.sh $(B)
	tests/bench/bench_answers.sh $(B)

.PHONY: screenshots
screenshots: program ## take the pictures of README.md with headless Chromium
	tools/screenshots.sh $(B)/msprof

.PHONY: metamorphic
metamorphic: program ## change captures in every field, by one bit, by a file twice or gone: nothing is lost silently; half an hour; not in CI
	python3 -B tests/metamorphic/metamorphic.py $(B)/msprof build/metamorphic --jobs $$(nproc)

.PHONY: torture
torture: program test-programs ## fail every call once, and kill -9 at random moments: an hour; not in CI (see tools/torture.sh)
	MSPROF_BUILD=$(B) tools/torture.sh $(TORTURE)

.PHONY: bench-acl
bench-acl: acl-test-programs $(B)/tests/bench/acl_marks ## measure what recording costs: a mark, a range, a call of ACL
	tests/bench/bench_acl.sh $(B)

$(B)/tests/bench/acl_marks: %: %.o $(B)/libmsprof_acl.so $(B)/flags
	$(link-acl)

.PHONY: bench-cann
bench-cann: program $(BENCH_PROGRAMS) ## measure import and exports of CANN captures of BENCH_OPERATORS operators
	tests/bench/bench_cann.sh $(B)

.PHONY: bench-instructions
bench-instructions: program ## count the instructions an operator of import, summary and timeline (needs valgrind)
	tests/bench/bench_instructions.sh $(B)

# --- lint: one stamp for a file, so that only what changed is read again ---

C_FILES     := $(sort $(filter-out features/cluster/mpi/%,$(call below,base parsers db exporters features ssh cli api acl testdata/generate tests,[ch])) $(wildcard include/msprof/*.h include/mstx/*.h))
PORTABLE_SOURCES := $(wildcard tools/portable/*.c)
C_HEADERS   := $(filter %.h,$(C_FILES))
C_SOURCES   := $(filter %.c,$(C_FILES))
SCRIPTS     := $(sort $(wildcard .ci/run tests/run tests/check tests/bats.sh tools/*.sh testdata/generate/*.sh tests/*/*.sh tests/*/*.bash \
               tests/*/*.bats))
LINT        := $(BUILD)/lint
# The analyzer of clang and cppcheck take minutes: 'make lint ANALYZED=FILES' has them read these files alone.
ANALYZED    ?= $(C_SOURCES)
WITHOUT_ANALYZER = $(if $(filter $<,$(ANALYZED)),,--checks='-clang-analyzer-*')
LINT_FLAGS   = $(NEEDED_CPPFLAGS) -DMSPROF_COMMIT='""' -DMSPROF_PREFIX='"$(prefix)"' -DMSPROF_LIBDIR='"$(libdir)"' -std=c17 -pthread $(WARNINGS)

.PHONY: lint lint-format lint-tidy lint-headers lint-scripts lint-manual lint-structure lint-calls lint-exports lint-cppcheck
lint: lint-translations lint-format lint-structure lint-calls lint-exports lint-headers lint-scripts lint-manual lint-tidy $(if $(ANALYZED),lint-cppcheck) ## check format, clang-tidy, cppcheck, shellcheck, mandoc, include direction, circles of calls, names, links

# clang-format takes longer to start than to read a file: what is due is gathered first.
lint-format: $(C_FILES:%=$(LINT)/%.format) $(PORTABLE_SOURCES:%=$(LINT)/%.format)
	@[ ! -e $(LINT)/format.due ] || tools/lint-format.sh $(LINT)
$(LINT)/%.format: % .clang-format | $(LINT)
	@$(file >>$(LINT)/format.due,$<)
$(LINT):
	@mkdir -p $@

# How far clang's analyzer follows the paths of a function. Its own limit, 225000, takes three times as long as this one:
# 'make lint ANALYZER_NODES=225000' on a fresh build/lint goes as far.
ANALYZER_NODES ?= 60000

# The object comes first for its dependencies: clang-tidy reads a file again when a header that it includes changed.
lint-tidy: $(C_SOURCES:%=$(LINT)/%.tidy)
$(LINT)/%.c.tidy: %.c $(B)/%.o .clang-tidy tests/.clang-tidy tools/analyzer.h
	@mkdir -p $(@D)
	$(call say,TIDY)clang-tidy --quiet --warnings-as-errors='*' $(WITHOUT_ANALYZER) $< -- $(LINT_FLAGS) \
	    -Xclang -analyzer-config -Xclang max-nodes=$(ANALYZER_NODES) \
	    $(if $(filter base/err.c base/array.c,$<),,-include tools/analyzer.h) 2>&1 | { grep -vE ' warnings? generated\.$$' || :; }
	@touch $@

# These are compiled for 'make portable' alone, in whose place glibc's own functions stand elsewhere.
lint-tidy: $(PORTABLE_SOURCES:%=$(LINT)/%.tidy)
$(LINT)/tools/portable/%.tidy: tools/portable/% .clang-tidy
	@mkdir -p $(@D)
	$(call say,TIDY)clang-tidy --quiet --warnings-as-errors='*' $< -- -D_GNU_SOURCE -DPORTABLE_PROGRAM -std=c17 -pthread \
	    $(filter-out -Wmissing-prototypes,$(WARNINGS)) 2>&1 | { grep -vE ' warnings? generated\.$$' || :; }
	@touch $@

# Every header can be included alone and first.
lint-headers: $(C_HEADERS:%=$(LINT)/%.alone)
$(LINT)/%.h.alone: %.h $(C_HEADERS) | $(LISTS)
	@mkdir -p $(@D)
	$(call say,HEADER)printf '#include "%s"\ntypedef int of_macros_alone;\n' $< | $(CC) $(LINT_FLAGS) -fsyntax-only -x c -
	@touch $@

lint-scripts: $(SCRIPTS:%=$(LINT)/%.shellcheck)
$(LINT)/%.shellcheck: %
	@mkdir -p $(@D)
	$(call say,SHELL)shellcheck -x -P SCRIPTDIR $<
	@touch $@

lint-manual: $(MAN_PAGES) $(ZH_PAGES)
	$(call say,MANDOC)mandoc -T lint -W warning $(MAN_PAGES) $(ZH_PAGES)

lint-structure:
	$(call say,STRUCT)tools/lint-includes.sh && tools/lint-structure.sh && tools/lint-names.sh && tools/lint-comments.py && tools/lint-scoped.py && tools/lint-links.sh && tools/spdx.sh

# Reads which symbols the objects need of each other.
lint-calls: $(LIB_OBJECTS) $(CLI_OBJECTS) $(API_OBJECTS) $(ACL_OBJECTS) $(patsubst %.c,$(B)/%.o,$(wildcard acl/preload/*.c))
	$(call say,CALLS)tools/lint-calls.sh $(B)

lint-exports: $(ACL_FILES) $(PRELOAD_LIBRARY) $(B)/$(READ_SONAME)
	$(call say,EXPORTS)tools/lint-exports.sh $(B)

# varFuncNullUB is for systems whose NULL is a plain 0.
lint-cppcheck: $(LISTS) $(PRELOAD_LIST)
	@mkdir -p $(LINT)/cppcheck
	$(call say,CPPCHK)cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
	    --suppress=missingIncludeSystem --suppress=varFuncNullUB --cppcheck-build-dir=$(LINT)/cppcheck \
	    $(NEEDED_CPPFLAGS) -DCPPCHECK '-DElfW(type)=Elf64_##type' -DMSPROF_COMMIT='""' -DMSPROF_PREFIX='"$(prefix)"' -DMSPROF_LIBDIR='"$(libdir)"' $(filter $(C_SOURCES),$(ANALYZED))

# --- the rest ---

# --- translations ---

.PHONY: pot po-update lint-translations
pot: ## po/msprof.pot: the texts of the program that are translated
	po/extract.py >po/msprof.pot.new && mv po/msprof.pot.new po/msprof.pot

po-update: pot ## bring po/zh_CN.po up to the texts of the program: what has no translation is left empty
	po/update.py po/msprof.pot po/zh_CN.po

lint-translations: ## what is not translated, differs in its placeholders, is too wide for the help or is in no place that is looked up
	$(call say,PO)po/check.py

.PHONY: html dist deb rpm portable wheel version release-check
release-check: ## what a release must hold beside the tests: half an hour, as root (docs/releasing.md)
	tools/release-check.sh $(BUILD)

html: manual ## build/html: the manual and docs/ as a site
	tools/html.sh $(B)/man $(BUILD)/html

dist: ## build/dist/msprof-VERSION.tar.gz: the sources of the last commit, reproducible
	tools/dist.sh $(BUILD)

deb rpm: ## packages of the last commit in build/deb, build/rpm
	tools/package.sh $@ $(BUILD)

PORTABLE_MACHINES ?= x86_64 aarch64
portable: ## build/portable/*.tar.gz: the program and the libraries for glibc 2.17 and newer, PORTABLE_MACHINES
	for machine in $(PORTABLE_MACHINES); do tools/portable.sh "$$machine" $(BUILD) || exit; done

wheel: ## build/wheel/*.whl: the Python package with its libraries, PORTABLE_MACHINES
	for machine in $(PORTABLE_MACHINES); do tools/wheel.sh "$$machine" $(BUILD) || exit; done

version: ## print the version
	@echo $(VERSION)

.PHONY: clean distclean help
clean: ## remove build/
	rm -rf $(BUILD)

distclean: clean ## the same: nothing is made outside build/

help: ## list the targets
	@awk -F':.*## ' '/^[a-z][a-z0-9-]*:.*## /{printf "  %-16s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

-include $(patsubst %.c,$(B)/%.d,$(LIB_SOURCES) $(CLI_SOURCES) $(API_SOURCES) $(ACL_SOURCES) $(GENERATE_SOURCES) $(wildcard tests/*/*.c) $(UNIT_SOURCES))
