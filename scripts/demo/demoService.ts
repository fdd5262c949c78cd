import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { DemoSources } from './demoData.ts';

/** The local service with the demo's databases, and how to get at it. */
export interface DemoService {
  readonly address: string;
  readonly token: string;
  /** The folder that is served as "My Data". */
  readonly destinationFolder: string;
  /** Ends the service and waits until it has ended. */
  close(): Promise<void>;
}

/** Slow enough that the largest file of the demo takes some seconds: there has to be something to watch and to cancel. */
const throttleBytesPerSecond = 2_000_000;

/** Starts the built service with an empty destination. It ends with this process at the latest. */
export async function startService(program: string, runFolder: string, sources: DemoSources): Promise<DemoService> {
  const destinationFolder = join(runFolder, 'My Data');
  await mkdir(destinationFolder);
  const config = join(runFolder, 'service.json');
  const databases = [
    { name: 'Vega Datasets', folder: sources.vega, organization: 'Vega' },
    { name: 'World and US Atlas', folder: sources.atlas, organization: 'TopoJSON' },
    { name: 'My Data', folder: destinationFolder, organization: 'This machine' },
  ];
  const dataFolder = join(runFolder, 'service');
  await writeFile(
    config,
    JSON.stringify({ dataFolder, databases, port: 0, throttleBytesPerSecond, endWithStdin: true }),
  );
  const child = spawn(process.execPath, [program, '--config', config], { stdio: ['pipe', 'pipe', 'pipe'] });
  return { ...(await firstLine(child)), destinationFolder, close: () => end(child) };
}

async function firstLine(child: ChildProcess): Promise<{ address: string; token: string }> {
  const errors: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  if (child.stdout === null) throw new Error('The local service has no output to read.');
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit').then(() => undefined);
  const line = await Promise.race([once(lines, 'line').then(([text]) => String(text)), ended]);
  if (line === undefined) throw new Error(`The local service did not start: ${errors.join('').trim()}`);
  return JSON.parse(line) as { address: string; token: string };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
