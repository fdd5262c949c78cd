import { spawn } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import { join } from 'node:path';

const sites = ['amazon', 'baltic', 'congo', 'danube', 'everglades', 'ganges', 'huron', 'iberia', 'jordan', 'kalahari'];
const kinds = ['reads', 'contigs', 'spectra', 'images', 'tables', 'logs', 'models', 'maps'];
const suffixes = ['fastq.gz', 'bam', 'tif', 'h5', 'csv', 'txt', 'json', 'nc'];
const filesInRun = 100;
const runsInProject = 20;

/**
 * Creates a folder that is removed when the process ends. The folder is in memory if there is enough space, so that the
 * speed of a disk isn't measured.
 */
export function scratchFolder(): string {
  const memory = '/dev/shm';
  const base = hasRoom(memory) ? memory : os.tmpdir();
  const folder = fs.mkdtempSync(join(base, 'data-transfer-bench-'));
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize, ffree } = fs.statfsSync(folder);
    return bavail * bsize > 6e9 && ffree > 1_500_000;
  } catch {
    return false;
  }
}

/** Creates a tree like that of a sequencing center, `projects/run/file`, with sparse files. */
export function makeTree(root: string, fileCount: number): void {
  for (let made = 0, run = 0; made < fileCount; run++) {
    const project = Math.floor(run / runsInProject);
    const site = sites[project % sites.length] ?? '';
    const folder = join(root, `${site}-${padded(project, 3)}`, `run-${padded(run % runsInProject, 4)}`);
    fs.mkdirSync(folder, { recursive: true });
    for (let index = 0; index < filesInRun && made < fileCount; index++) makeFile(folder, index, made++);
  }
}

function makeFile(folder: string, index: number, number: number): void {
  const name = `${kinds[index % 8] ?? ''}_sample_${padded(number, 7)}.${suffixes[(index * 7) % 8] ?? ''}`;
  const file = fs.openSync(join(folder, name), 'w');
  fs.ftruncateSync(file, (number * 7919) % 1_000_000);
  fs.closeSync(file);
}

/** Creates files with random content, 200 to a folder. */
export function makeRandomFiles(folder: string, count: number, bytes: number): void {
  const content = Buffer.alloc(Math.min(bytes, 64 * 1024 * 1024));
  for (let made = 0; made < count; made++) {
    const inside = join(folder, `batch-${String(Math.floor(made / 200)).padStart(3, '0')}`);
    if (made % 200 === 0) fs.mkdirSync(inside, { recursive: true });
    const file = fs.openSync(join(inside, `part-${String(made).padStart(5, '0')}.bin`), 'w');
    for (let written = 0; written < bytes; written += content.length) {
      fs.writeSync(file, randomFillSync(content), 0, Math.min(content.length, bytes - written));
    }
    fs.closeSync(file);
  }
}

function padded(number: number, length: number): string {
  return String(number).padStart(length, '0');
}

/** Runs a command in the C locale, and writes its output to a file. Throws if it fails. */
export async function run(command: string, output: string): Promise<void> {
  const out = fs.openSync(output, 'w');
  try {
    const child = spawn('/bin/sh', ['-c', command], {
      stdio: ['ignore', out, 'inherit'],
      env: { ...process.env, LC_ALL: 'C' },
    });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`${command} ended with ${String(code)}`);
  } finally {
    fs.closeSync(out);
  }
}
