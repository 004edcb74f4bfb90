/* SPDX-License-Identifier: Apache-2.0 */
/* Pseudo-random numbers that depend on nothing but their keys, so that equal seeds give equal captures. */
#ifndef MSPROF_GENERATE_RANDOM_H
#define MSPROF_GENERATE_RANDOM_H

#include <stdint.h>

/* The next number of a stream (splitmix64). */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A stream of its own for a key inside another stream; does not move the other. */
static inline uint64_t random_derive(uint64_t state, uint64_t key)
{
    uint64_t derived = state ^ (key + 1) * 0xd1342543de82ef95u;
    return random_next(&derived);
}

/* Uniform in low..high, both included. */
static inline uint64_t random_between(uint64_t *state, uint64_t low, uint64_t high)
{
    return low + random_next(state) % (high - low + 1);
}

#endif
