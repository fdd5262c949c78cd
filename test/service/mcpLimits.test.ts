import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cliProgram } from '../support/cliProcess.ts';

describe('The MCP server (D64)', () => {
  it('exits if the client sends a message of more than 10 MB, instead of no longer responding', async () => {
    const ledger = await mkdtemp(join(tmpdir(), 'mcp-limits-'));
    const server = spawn(process.execPath, [cliProgram, 'mcp', '--server', 'http://127.0.0.1:9'], {
      env: { ...process.env, DATA_TRANSFER_LEDGER: ledger },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // The server exits without reading the rest.
    server.stdin.on('error', () => undefined);
    server.stdin.write(`{"jsonrpc":"2.0","method":"${'x'.repeat(11 * 1024 * 1024)}"}\n`);
    const [code] = (await once(server, 'close')) as [number | null];
    assert.equal(code, 0);
    await rm(ledger, { recursive: true });
  });
});
