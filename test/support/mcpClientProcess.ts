import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cliProgram } from './cliProcess.ts';

/**
 * The source of an MCP client that starts the server, calls a tool if requested, and prints the server's process ID
 * after the last response.
 */
const clientSource = `
  const { spawn } = require('node:child_process');
  const [program, isCalling, ...args] = process.argv.slice(1);
  const server = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const send = (id, method, params) => server.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\\n');
  const clientInfo = { name: 'killed', version: '1' };
  send(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  if (isCalling === 'true') send(2, 'tools/call', { name: 'list_databases', arguments: {} });
  let text = '';
  server.stdout.on('data', (chunk) => {
    text += chunk;
    if (text.includes(isCalling === 'true' ? '"id":2' : '"id":1')) process.stdout.write(server.pid + '\\n');
  });
`;

/** Starts an MCP client as a process that can be killed. Resolves after the server's last response. */
export async function startMcpClient(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  isCalling: boolean,
): Promise<{ readonly client: ChildProcess; readonly serverPid: number }> {
  const client = spawn(process.execPath, ['-e', clientSource, cliProgram, String(isCalling), ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [pid] = (await once(client.stdout, 'data')) as [Buffer];
  return { client, serverPid: Number(pid.toString()) };
}
