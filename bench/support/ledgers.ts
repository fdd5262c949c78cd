import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatRecord } from '../../src/core/transfers/recordFiles.ts';
import { Explorer } from '../../src/core/explorer.ts';
import type { StateChange, Transfer } from '../../src/core/model/transferModel.ts';
import { systemClock } from '../../src/core/util/clock.ts';
import { MemoryLog } from '../../test/support/memoryLog.ts';
import { createExplorerDependencies } from '../../test/support/explorerDependencies.ts';

const minuteMs = 60_000;
const startedAt = Date.UTC(2026, 0, 1);

/** Startup times of the core in a new process, in milliseconds. */
export interface StartMs {
  /** From the start until the core is ready. */
  readonly activation: number;
  /** From then until the most recently ended transfers are listed. */
  readonly listing: number;
}

/** Creates a ledger with ended transfers of a few files each. */
export function makeLedger(folder: string, endedCount: number): void {
  for (const partition of ['running', 'ended']) fs.mkdirSync(join(folder, partition), { recursive: true });
  for (let index = 0; index < endedCount; index++) {
    const transfer = endedTransfer(index);
    fs.writeFileSync(join(folder, 'ended', `${transfer.key}.json`), formatRecord(transfer));
  }
  // Backdates the folder, as if it had not changed for some time.
  fs.utimesSync(join(folder, 'ended'), startedAt / 1000, startedAt / 1000);
}

function endedTransfer(index: number): Transfer {
  const key = `${index.toString(16).padStart(8, '0')}-8c1f-4f0e-9b1d-2f6a1c0e5d3b`;
  const createdAt = startedAt + index * minuteMs;
  const states = ['submitting', 'accepted', 'staging', 'active', 'finalizing', 'succeeded'] as const;
  const changes: readonly StateChange[] = states.map((state, place) => ({ state, at: createdAt + place * minuteMs }));
  const names = Array.from(
    { length: 1 + (index % 5) },
    (_, place) => `reads_${String(index)}_${String(place)}.fastq.gz`,
  );
  const files = names.map((name) => ({ id: `JDP:${name}`, name, sizeBytes: 1_000_000 + index }));
  const order = {
    connectionId: 'c',
    orcid: '0000-0002-1825-0097',
    source: 'JGI Data Portal',
    destination: 'KBase',
    files,
  };
  const status = { id: key, status: 'succeeded', fileCount: files.length, movedFileCount: files.length };
  return { key, order, createdAt, state: 'succeeded', changes, id: key, status, askedAt: createdAt + 5 * minuteMs };
}

/** Creates the core of a window over a ledger, without an editor. The caller disposes of it. */
export function createExplorer(ledgerFolder: string): Explorer {
  return new Explorer(createExplorerDependencies({ log: new MemoryLog(), clock: systemClock, ledgerFolder }));
}

/** Starts the core over a ledger in a new process; resolves to its startup times. */
export async function measureStart(folder: string): Promise<StartMs> {
  const program = join(import.meta.dirname, '..', 'programs', 'activation.ts');
  const child = fork(program, [folder], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [took] = (await once(child, 'message')) as [StartMs];
  await once(child, 'close');
  return took;
}

/** Reads the files in a folder with only `readFile` and `JSON.parse`, `parallelCount` at a time. */
export async function readAndParse(folder: string, parallelCount: number): Promise<unknown[]> {
  const names = (await readdir(folder)).values();
  const read: unknown[] = [];
  const work = async (): Promise<void> => {
    for (const name of names) read.push(JSON.parse(await readFile(join(folder, name), 'utf8')));
  };
  await Promise.all(Array.from({ length: parallelCount }, work));
  return read;
}
