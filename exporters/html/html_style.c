/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/html/html_assets.h"

#include <stddef.h>

/* Colours of texts have a contrast of 4.5 or more to what they stand on, in both schemes; those of drawings 3. */
const char *const html_style[] = {
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#57606a;--line:#d0d7de;--head:#f3f5f7;--link:#0550ae;",
    "--bar:#cfe3fb;--cube:#1f6feb;--vector:#0f8574;--aicpu:#b35900;--exposed:#9a3fd5;--waiting:#c2528b;",
    "--copies:#7a6a00;",
    "--other:#5b6770;--dark:#a8b0b8;--free:#e3e7eb;--mark:#b42318}",
    "@media (prefers-color-scheme:dark){:root{--bg:#15191e;--fg:#e6e9ec;--soft:#a3acb5;--line:#3a424b;--head:#20262d;",
    "--link:#79b8ff;--bar:#1d3f66;--cube:#4c93ff;--vector:#2fb5a0;--aicpu:#e08a33;--exposed:#c07bf0;--waiting:#e57fb3;",
    "--copies:#b9a52a;--other:#8b98a3;--dark:#5d666f;--free:#2b323a;--mark:#ff8a80}}",
    "*{box-sizing:border-box}",
    "body{margin:0 auto;max-width:75rem;padding:0 1rem 3rem;background:var(--bg);color:var(--fg);",
    "font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif}",
    "a{color:var(--link)}",
    ":focus-visible{outline:3px solid var(--link);outline-offset:2px}",
    ".skip{position:absolute;left:-99rem}.skip:focus{position:static}",
    "h1{font-size:1.6rem;margin:1.2rem 0 .3rem;overflow-wrap:anywhere}",
    "h2{font-size:1.25rem;margin:2.2rem 0 .6rem;padding-top:.4rem;border-top:1px solid var(--line);",
    "overflow-wrap:anywhere}",
    "h3{font-size:1.05rem;margin:1.6rem 0 .5rem;overflow-wrap:anywhere}",
    "p{margin:.4rem 0 .8rem;max-width:60rem;overflow-wrap:anywhere}",
    ".soft,caption,footer{color:var(--soft)}",
    "nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin:.4rem 0;padding:0;list-style:none}",
    ".scroll{overflow-x:auto;margin:.6rem 0 .2rem;max-height:32rem;overflow-y:auto;border:1px solid var(--line);",
    "border-radius:4px}",
    "table{border-collapse:collapse;width:100%;font-size:.87rem;font-variant-numeric:tabular-nums}",
    "caption{text-align:left;padding:.35rem .6rem}",
    "th,td{overflow-wrap:break-word;padding:.22rem .6rem;text-align:left;vertical-align:top;border-top:1px solid "
    "var(--line);",
    "unicode-bidi:isolate}",
    "tbody th{white-space:nowrap}tfoot td{font-weight:bold}"
    "thead th{background:var(--head);position:sticky;top:0;white-space:nowrap}",
    "td.name,td.name *{overflow-wrap:anywhere}td.name{min-width:5.5rem}td:last-child:not(.n){min-width:9rem}"
    "dl:not(.four) dt{font-weight:bold}dl:not(.four) dd{margin:0 0 .4rem 1rem}",
    ".n{text-align:right;white-space:nowrap}",
    "td.b{background:linear-gradient(90deg,var(--bar) var(--s),transparent var(--s))}",
    "tr:target td,tr:target th,li:target{box-shadow:inset 0 0 0 99px color-mix(in srgb,var(--link) 15%,transparent)}",
    "th button{all:unset;cursor:pointer;font-weight:bold}th button:focus-visible{outline:3px solid var(--link)}",
    "th button::after{content:' \\2195';color:var(--soft)}",
    "th[aria-sort=ascending] button::after{content:' \\2191'}th[aria-sort=descending] button::after{content:' \\2193'}",
    ".filter{display:block;margin:.8rem 0 0;font-size:.87rem}",
    ".filter input{font:inherit;margin-left:.4rem;padding:.15rem .4rem;background:var(--bg);color:var(--fg);",
    "border:1px solid var(--soft);border-radius:3px;max-width:100%}",
    ".four{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:.8rem;margin:.6rem 0 1rem}",
    ".four>div{border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem}",
    ".four dt{color:var(--soft);font-size:.87rem}.four dd{margin:0;font-size:1.45rem;overflow-wrap:anywhere}",
    ".four dd small{display:block;font-size:.82rem;color:var(--soft)}",
    "figure{margin:.8rem 0 1rem}figcaption{color:var(--soft);font-size:.87rem;margin-bottom:.3rem;",
    "overflow-wrap:anywhere}",
    "svg{display:block;width:100%;height:auto}svg text{fill:var(--fg);font-size:11px}",
    ".findings>li{margin-bottom:1.2rem}.severity{border:1px solid currentcolor;border-radius:3px;padding:0 .35rem}"
    ".high{color:var(--mark)}.medium{color:var(--aicpu)}"
    ".legend{display:flex;flex-wrap:wrap;gap:.1rem 1rem;margin:.3rem 0;padding:0;list-style:none;font-size:.87rem}",
    ".legend svg{display:inline-block;width:.8rem;height:.8rem;margin-right:.35rem;vertical-align:-.1rem}",
    ".cube{fill:var(--cube)}.vector{fill:var(--vector)}.aicpu{fill:var(--aicpu)}.exposed{fill:var(--exposed)}",
    ".waiting{fill:var(--waiting)}.copies{fill:var(--copies)}.other{fill:var(--other)}.unrecorded{fill:var(--dark)}",
    ".free{fill:var(--free)}.axis{stroke:var(--soft);stroke-width:1;fill:none}.median{stroke:var(--mark);",
    "stroke-width:1.5;stroke-dasharray:5 3}.faint{opacity:.45}",
    "@media (max-width:40rem){figure svg text{font-size:22px}}"
    "footer{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:.5rem;font-size:.87rem}",
    "@media print{@page{size:A4;margin:14mm}body{max-width:none;padding:0;font-size:9.5pt;background:#fff}",
    "nav,.skip,.filter{display:none}.scroll{max-height:none;overflow:visible;border:0}",
    "thead th{position:static}thead{display:table-header-group}tr,figure,.four>div{break-inside:avoid}",
    "h2,h3{break-after:avoid}table{font-size:7.5pt}th,td{padding:.1rem .25rem;min-width:0!important}",
    "td.n{white-space:normal;overflow-wrap:anywhere}thead th{white-space:normal}td.b,svg "
    "*,.four>div{print-color-adjust:exact;-webkit-print-color-adjust:exact}",
    "th button::after{content:''}}",
    NULL,
};
