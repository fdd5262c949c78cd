/** Searches with only undici and `JSON.parse`, in a separate process: `searchCold.mjs ADDRESS PAGES SIZE`. */
import { Agent } from 'undici';

const [origin, pages, limit] = process.argv.slice(2);
const agent = new Agent();
const headers = { authorization: 'Bearer a2V5', 'content-type': 'application/json' };

async function ask(method, path, body) {
  const response = await agent.request({ origin, path, method, headers, body: body ? JSON.stringify(body) : null });
  return JSON.parse(await response.body.text());
}

await ask('GET', '/');
await ask('GET', '/api/v1/databases');
const files = [];
for (let page = 0; page < Number(pages); page++) {
  const query = { database: 'Bench', orcid: '0000-0002-1825-0097', query: 'x', offset: page * Number(limit), limit };
  files.push(...(await ask('POST', '/api/v1/files', query)).resources);
}
await agent.close();
process.stdout.write(`${JSON.stringify({ files })}\n`);
