/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/html/html_assets.h"

#include <stddef.h>

/* Nothing is shown by it that is not in the page: it sorts tables and hides rows. */
const char *const html_script[] = {
    "'use strict';\n",
    "(function(){\n",
    "function value(cell){var t=cell?cell.textContent:'';var n=t===''?NaN:Number(t);return isNaN(n)?t:n}\n",
    "function sort(table,th,column){\n",
    " var up=th.getAttribute('aria-sort')==='descending',body=table.tBodies[0];\n",
    " var rows=Array.from(body.rows).map(function(r,i){return{row:r,key:value(r.cells[column]),at:i}});\n",
    " rows.sort(function(a,b){var x=a.key,y=b.key,nx=typeof x==='number',ny=typeof y==='number';\n",
    "  if(nx!==ny)return nx?-1:1;\n",
    "  var d=nx?x-y:x<y?-1:x>y?1:0;return (up?d:-d)||a.at-b.at});\n",
    " table.querySelectorAll('th[aria-sort]').forEach(function(o){o.removeAttribute('aria-sort')});\n",
    " th.setAttribute('aria-sort',up?'ascending':'descending');\n",
    " var all=document.createDocumentFragment();\n",
    " rows.forEach(function(r){all.appendChild(r.row)});body.appendChild(all)}\n",
    "document.querySelectorAll('table').forEach(function(table,number){\n",
    " if(!table.tHead||!table.tBodies[0]||table.tBodies[0].rows.length<2)return;\n",
    " Array.from(table.tHead.rows[0].cells).forEach(function(th,column){\n",
    "  var b=document.createElement('button');b.type='button';b.textContent=th.textContent;th.textContent='';\n",
    "  b.addEventListener('click',function(){sort(table,th,column)});th.appendChild(b)});\n",
    " if(table.tBodies[0].rows.length<10)return;\n",
    " var label=document.createElement('label'),input=document.createElement('input');\n",
    " label.className='filter';label.textContent='Rows that contain';input.type='search';label.appendChild(input);\n",
    " var timer=0;\n",
    " input.addEventListener('input',function(){clearTimeout(timer);timer=setTimeout(function(){\n",
    "  var wanted=input.value.toLowerCase();\n",
    "  Array.from(table.tBodies[0].rows).forEach(function(r){\n",
    "   r.hidden=wanted!==''&&r.textContent.toLowerCase().indexOf(wanted)<0})},120)});\n",
    " var box=table.parentNode;box.parentNode.insertBefore(label,box)});\n",
    "})();\n",
    NULL,
};
