/* SPDX-License-Identifier: Apache-2.0 */
/* The style and the script of the page in pieces, ended by NULL. Neither holds "</". */
#ifndef MSPROF_EXPORTERS_HTML_HTML_ASSETS_H
#define MSPROF_EXPORTERS_HTML_HTML_ASSETS_H

extern const char *const html_style[], *const html_script[];

#endif
