/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON documents that are written, each with the version of its schema: the file
 * docs/schemas/<name>.<version>.json, where the name is what stands after "msprof.". A number is raised when a key goes
 * or means something else. */
#ifndef MSPROF_EXPORTERS_SCHEMAS_H
#define MSPROF_EXPORTERS_SCHEMAS_H

#define SCHEMA_ADVICE "msprof.advice/1"
#define SCHEMA_BASELINE "msprof.baseline/2"
#define SCHEMA_DIFF "msprof.diff/1"
#define SCHEMA_DOCTOR "msprof.doctor/1"
#define SCHEMA_OPTIONS "msprof.options/1"
#define SCHEMA_RULES "msprof.rules/1"

#define SCHEMA_LIST                                                                                                    \
    {                                                                                                                  \
        SCHEMA_ADVICE, SCHEMA_BASELINE, SCHEMA_DIFF, SCHEMA_DOCTOR, SCHEMA_OPTIONS, SCHEMA_RULES, NULL                 \
    }

#endif
