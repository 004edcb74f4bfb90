#include "parsers/pair_table.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 1024

int pair_table_init(struct pair_table *table, struct err *err)
{
    *table = (struct pair_table){.capacity = FIRST_CAPACITY};
    table->halves = calloc(table->capacity, sizeof *table->halves);
    return table->halves != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
}

void pair_table_release(struct pair_table *table)
{
    free(table->halves);
    *table = (struct pair_table){.halves = NULL};
}

static size_t home_of(const struct pair_key *key, size_t mask)
{
    uint64_t hash = (key->a ^ (key->b * 0xc2b2ae3d27d4eb4fU) ^ (key->c * 0x165667b19e3779f9U)) * 0x9e3779b97f4a7c15U;
    return (size_t)(hash >> 20) & mask;
}

static bool equal(const struct pair_key *x, const struct pair_key *y)
{
    return x->a == y->a && x->b == y->b && x->c == y->c;
}

struct open_half *pair_table_find(const struct pair_table *table, const struct pair_key *key)
{
    size_t mask = table->capacity - 1, i = home_of(key, mask);
    while (table->halves[i].taken && !equal(&table->halves[i].key, key))
        i = (i + 1) & mask;
    return &table->halves[i];
}

static int grow(struct pair_table *table, struct err *err)
{
    struct pair_table larger = {.capacity = table->capacity * 2, .used = table->used};
    larger.halves = calloc(larger.capacity, sizeof *larger.halves);
    if (larger.halves == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->halves[i].taken)
            *pair_table_find(&larger, &table->halves[i].key) = table->halves[i];
    }
    free(table->halves);
    *table = larger;
    return 0;
}

int pair_table_add(struct pair_table *table, struct open_half *place, const struct open_half *half, struct err *err)
{
    *place = *half;
    place->taken = true;
    table->used++;
    return table->used * 2 > table->capacity ? grow(table, err) : 0;
}

/* Leaves no hole that would hide later halves of the same chain. */
void pair_table_remove(struct pair_table *table, struct open_half *half)
{
    size_t hole = (size_t)(half - table->halves), mask = table->capacity - 1;
    for (size_t i = (hole + 1) & mask; table->halves[i].taken; i = (i + 1) & mask) {
        size_t home = home_of(&table->halves[i].key, mask);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            table->halves[hole] = table->halves[i];
            hole = i;
        }
    }
    table->halves[hole].taken = false;
    table->used--;
}
