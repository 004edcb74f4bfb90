/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/preload/symbols.h"

#define VERSION_HIDDEN 0x8000u /* not the default one */
#define VERSION_MASK 0x7fffu

/* Tables of one library; NULL: it has none of that kind. */
struct tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const uint16_t *versions; /* one for each symbol */
    const char *needed, *defined;
    const uint32_t *hash, *gnu_hash;
};

/* The dynamic linker has added the address of the library where it could write. */
static const void *address_in(const struct link_map *map, ElfW(Addr) value)
{
    return (const void *)(value < map->l_addr ? value + map->l_addr : value); /* NOLINT(performance-no-int-to-ptr) */
}

static bool read_tables(const struct link_map *map, struct tables *ret)
{
    *ret = (struct tables){.symbols = NULL};
    for (const ElfW(Dyn) *entry = map->l_ld; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        const void *address = address_in(map, entry->d_un.d_ptr);
        switch (entry->d_tag) {
        case DT_SYMTAB:
            ret->symbols = address;
            break;
        case DT_STRTAB:
            ret->names = address;
            break;
        case DT_VERSYM:
            ret->versions = address;
            break;
        case DT_VERNEED:
            ret->needed = address;
            break;
        case DT_VERDEF:
            ret->defined = address;
            break;
        case DT_HASH:
            ret->hash = address;
            break;
        case DT_GNU_HASH:
            ret->gnu_hash = address;
            break;
        default:
            break;
        }
    }
    return ret->symbols != NULL && ret->names != NULL;
}

/* The newer hash has the symbols that are defined, sorted by bucket, in chains whose last value is odd. */
static size_t count_by_gnu_hash(const uint32_t *table)
{
    uint32_t bucket_count = table[0], first = table[1], words = table[2], last = 0;
    const uint32_t *buckets = table + 4 + (size_t)words * (sizeof(ElfW(Addr)) / sizeof *table);
    const uint32_t *chain = buckets + bucket_count;
    for (uint32_t i = 0; i < bucket_count; i++)
        if (buckets[i] > last)
            last = buckets[i];
    if (last < first)
        return first;
    while ((chain[last - first] & 1) == 0)
        last++;
    return (size_t)last + 1;
}

static size_t count_symbols(const struct tables *tables)
{
    if (tables->hash != NULL)
        return tables->hash[1];
    return tables->gnu_hash != NULL ? count_by_gnu_hash(tables->gnu_hash) : 0;
}

/* The name of a version that the library asks others for. */
static const char *needed_version(const struct tables *tables, uint16_t wanted)
{
    const char *at = tables->needed;
    while (at != NULL) {
        const ElfW(Verneed) *library = (const void *)at;
        const char *part = at + library->vn_aux;
        for (unsigned i = 0; i < library->vn_cnt; i++) {
            const ElfW(Vernaux) *version = (const void *)part;
            if ((version->vna_other & VERSION_MASK) == wanted)
                return tables->names + version->vna_name;
            part += version->vna_next;
        }
        at = library->vn_next != 0 ? at + library->vn_next : NULL;
    }
    return NULL;
}

static const char *defined_version(const struct tables *tables, uint16_t wanted)
{
    const char *at = tables->defined;
    while (at != NULL) {
        const ElfW(Verdef) *version = (const void *)at;
        if ((version->vd_ndx & VERSION_MASK) == wanted) {
            const ElfW(Verdaux) *name = (const void *)(at + version->vd_aux);
            return tables->names + name->vda_name;
        }
        at = version->vd_next != 0 ? at + version->vd_next : NULL;
    }
    return NULL;
}

const char *symbols_wanted_version(const struct link_map *map, const char *name)
{
    struct tables tables;
    if (!read_tables(map, &tables) || tables.versions == NULL)
        return NULL;
    size_t count = count_symbols(&tables);
    for (size_t i = 1; i < count; i++) {
        const ElfW(Sym) *symbol = &tables.symbols[i];
        if (symbol->st_shndx == SHN_UNDEF && symbols_same_name(tables.names + symbol->st_name, name))
            return needed_version(&tables, tables.versions[i] & VERSION_MASK);
    }
    return NULL;
}

static bool is_function(const ElfW(Sym) * symbol)
{
    unsigned type = symbol->st_info & 0xfu;
    return symbol->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
}

size_t symbols_definitions(const struct link_map *map, const char *name, const char **oldest)
{
    struct tables tables;
    size_t found = 0;
    uint16_t lowest = UINT16_MAX;
    *oldest = NULL;
    if (!read_tables(map, &tables))
        return 0;
    size_t count = count_symbols(&tables);
    for (size_t i = 1; i < count; i++) {
        if (!is_function(&tables.symbols[i]) || !symbols_same_name(tables.names + tables.symbols[i].st_name, name))
            continue;
        found++;
        uint16_t version = tables.versions != NULL ? tables.versions[i] & VERSION_MASK : 0;
        if (version < lowest && (*oldest = defined_version(&tables, version)) != NULL)
            lowest = version;
    }
    return found;
}

void *symbols_function(const struct link_map *map, const char *name)
{
    struct tables tables;
    void *found = NULL;
    if (!read_tables(map, &tables))
        return NULL;
    size_t count = count_symbols(&tables);
    for (size_t i = 1; i < count; i++) {
        const ElfW(Sym) *symbol = &tables.symbols[i];
        if (!is_function(symbol) || (symbol->st_info & 0xfu) != STT_FUNC ||
            !symbols_same_name(tables.names + symbol->st_name, name))
            continue;
        found = (void *)(map->l_addr + symbol->st_value); /* NOLINT(performance-no-int-to-ptr) */
        if (tables.versions == NULL || (tables.versions[i] & VERSION_HIDDEN) == 0)
            return found;
    }
    return found;
}
