// SPDX-License-Identifier: Apache-2.0
// The client of the protocol's own authors with msprof mcp: node client.mjs SDK MSPROF ROOT CAPTURE
import assert from 'node:assert';
import { pathToFileURL } from 'node:url';

const [sdk, program, root, capture] = process.argv.slice(2);
const module = (path) => import(pathToFileURL(`${sdk}/dist/esm/client/${path}.js`).href);
const { Client } = await module('index');
const { StdioClientTransport } = await module('stdio');

const client = new Client({ name: 'test', version: '1' }, { capabilities: {} });
await client.connect(new StdioClientTransport({ command: program, args: ['mcp', '--root', root], stderr: 'ignore' }));
assert.equal(client.getServerVersion().name, 'msprof');
assert.match(client.getInstructions(), /open/);
await client.ping();

const { tools } = await client.listTools();
assert.deepEqual(tools.map((tool) => tool.name).sort(),
    ['advise', 'cluster', 'diff', 'open', 'report', 'sql', 'table', 'tables', 'timeline']);

const call = async (name, given, options) => {
    const answer = await client.callTool({ name, arguments: given }, undefined, options);
    return { ...JSON.parse(answer.content[0].text), failed: answer.isError };
};
const opened = await call('open', { capture });
assert.equal(opened.failed, false);
assert.ok(opened.rows.length > 5);
const ops = await call('table', { capture, table: 'ops', columns: ['name', 'total'], top: 3 });
assert.equal(ops.rows.length, 3);
const counted = await call('sql', { capture, query: 'SELECT count(*) AS n FROM op' });
assert.ok(counted.rows[0].n > 0);
const advice = await call('advise', { capture });
assert.ok(Array.isArray(advice.document.findings));
assert.equal((await call('open', { capture: '../nowhere' })).failed, true);
await assert.rejects(call('nonsense', {}), (error) => error.code === -32602);

const { resources } = await client.listResources();
assert.ok(resources.some((resource) => resource.uri === 'msprof://docs/answers.md'));
const { contents } = await client.readResource({ uri: 'msprof://docs/schemas/advice.1.json' });
assert.match(JSON.parse(contents[0].text).$schema, /json-schema/);
await assert.rejects(client.readResource({ uri: 'msprof://nowhere' }), (error) => error.code === -32002);

// A query without an end: progress is told until it is cancelled, and the next call is answered.
const query = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
const stop = new AbortController();
let told = 0;
await assert.rejects(call('sql', { capture, query }, {
    signal: stop.signal,
    onprogress: () => { told += 1; stop.abort('enough'); },
}));
assert.equal(told, 1);
assert.equal((await call('tables', { capture })).failed, false);
await client.close();
