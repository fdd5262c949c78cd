import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { moveFiles } from '../../../src/service/transfers/moveFiles.ts';
import {
  createJobSignal,
  type FileToMove,
  type JobResult,
  type MoveJob,
  type MoveSide,
} from '../../../src/service/transfers/fileJobs.ts';
import { FakeRclone } from '../../support/fakeRclone.ts';

export const transferId = '2c1d5e0a-0000-4000-8000-000000000005';

/** The folder of the transfer at its destination. */
export const folderName = `dts-${transferId}`;

/** The size of the smallest file that isn't moved in a batch. */
export const largeBytes = 1024 * 1024 + 1;

export type Contents = Readonly<Record<string, string>>;

export function digest(algorithm: string, content: string): string {
  return createHash(algorithm).update(content).digest('hex');
}

/** Returns the number of open file descriptors of this process. */
export async function countOpenFiles(): Promise<number> {
  return (await fs.readdir('/dev/fd')).length;
}

/** Adds the MD5 hash of the content to a file, as the catalog of a store with hashes does. */
export function withHash(file: FileToMove, content: string): FileToMove {
  return { ...file, declared: { algorithm: 'md5', hex: digest('md5', content) } };
}

/** Describes a file without a hash, as the catalog of a store without hashes does. */
function toFile(path: string, content: string, position: number): FileToMove {
  return { position, path, bytes: content.length, sha256: '', isPresent: false };
}

/** Runs jobs that move files between folders and in-memory stores of a simulated rclone. */
export class MovementRig {
  readonly rclone: FakeRclone;
  readonly source: string;
  readonly target: string;
  private readonly root: string;

  private constructor(rclone: FakeRclone, root: string) {
    this.rclone = rclone;
    this.root = root;
    [this.source, this.target] = [nodePath.join(root, 'source'), nodePath.join(root, 'target')];
  }

  static async start(): Promise<MovementRig> {
    const root = await fs.realpath(await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-movement-')));
    const rig = new MovementRig(await FakeRclone.start(), root);
    for (const folder of [rig.source, rig.target]) await fs.mkdir(folder);
    return rig;
  }

  async stop(): Promise<void> {
    await this.rclone.stop();
    await fs.rm(this.root, { recursive: true });
  }

  store(remote: string): MoveSide {
    return { location: { remote }, hash: this.rclone.hash };
  }

  folder(path: string): MoveSide {
    return { location: { folder: path }, hash: undefined };
  }

  /** Moves files from the store `lab:from` to the target folder. */
  async fetch(files: readonly FileToMove[], more: Partial<MoveJob> = {}): Promise<JobResult> {
    return await this.carry(this.store('lab:from'), this.folder(this.target), files, more);
  }

  /** Moves files from the source folder to the store `lab:to`. */
  async upload(files: readonly FileToMove[]): Promise<JobResult> {
    return await this.carry(this.folder(this.source), this.store('lab:to'), files);
  }

  async carry(
    source: MoveSide,
    destination: MoveSide,
    files: readonly FileToMove[],
    more: Partial<MoveJob> = {},
  ): Promise<JobResult> {
    const job = { transferId, attempt: 'a1b2c3d4', source, destination, rclone: this.rclone.address, files };
    return await moveFiles({ ...job, isFlushed: false, signal: createJobSignal(), ...more });
  }

  /** Adds objects to the store `lab:from` and returns their descriptions. */
  put(contents: Contents): readonly FileToMove[] {
    return Object.entries(contents).map(([path, content], position) => {
      this.rclone.objects.set(`lab:from/${path}`, Buffer.from(content));
      return toFile(path, content, position);
    });
  }

  /** Writes files to the source folder and returns their descriptions with hashes. */
  async write(contents: Contents): Promise<readonly FileToMove[]> {
    for (const [path, content] of Object.entries(contents)) {
      const file = nodePath.join(this.source, path);
      await fs.mkdir(nodePath.dirname(file), { recursive: true });
      await fs.writeFile(file, content);
    }
    return Object.entries(contents).map(([path, content], position) => {
      return { ...toFile(path, content, position), sha256: digest('sha256', content) };
    });
  }

  /** Reads all files below the folder of the transfer, including unfinished ones. */
  async readTarget(): Promise<Contents> {
    const top = nodePath.join(this.target, folderName);
    const entries = await fs.readdir(top, { recursive: true, withFileTypes: true }).catch(() => []);
    const paths = entries.filter((one) => one.isFile()).map((one) => nodePath.join(one.parentPath, one.name));
    const contents: Record<string, string> = {};
    const removeAttempt = (path: string): string => path.replace(/\.[0-9a-f]{8}(?=\.part-)/, '');
    for (const path of paths) contents[removeAttempt(nodePath.relative(top, path))] = await fs.readFile(path, 'utf8');
    return contents;
  }

  /** Returns the contents of the objects below a remote, by path. */
  readStore(remote: string): Contents {
    const places = this.rclone.places.filter((place) => place.startsWith(`${remote}/`));
    const read = (place: string): string => String(this.rclone.objects.get(place));
    return Object.fromEntries(places.map((place) => [place.slice(remote.length + 1), read(place)]));
  }

  /** Returns the number of calls to an rclone method. */
  count(method: string): number {
    return this.rclone.methods.filter((one) => one === method).length;
  }
}
