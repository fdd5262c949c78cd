import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Returns the hash of content in the form that manifests use: `algorithm:hex`. */
export function formatHash(content: string, algorithm: string): string {
  return `${algorithm}:${createHash(algorithm).update(content).digest('hex')}`;
}

/** A destination folder, in a temporary root folder, as a transfer leaves it. */
export class ReceivedFolder {
  readonly root: string;
  readonly folder: string;
  readonly manifest: string;

  private constructor(root: string) {
    this.root = root;
    this.folder = join(root, 'dts-received');
    this.manifest = join(this.folder, 'manifest.json');
  }

  static async create(): Promise<ReceivedFolder> {
    const created = new ReceivedFolder(await mkdtemp(join(tmpdir(), 'received-')));
    await mkdir(created.folder);
    return created;
  }

  /** Writes files (path to content), and a manifest that lists them with their sizes and SHA-256 hashes. */
  async addTransferred(files: Readonly<Record<string, string>>): Promise<void> {
    await this.write(files);
    const resources = Object.entries(files).map(([path, content]) => ({
      id: `id of ${path}`,
      path,
      bytes: Buffer.byteLength(content),
      hash: formatHash(content, 'sha256'),
    }));
    await this.describe({ resources });
  }

  /** Writes files without a manifest; paths are relative to the destination folder. */
  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(this.folder, path)), { recursive: true });
      await writeFile(join(this.folder, path), content);
    }
  }

  /** Writes the manifest. A string is written unchanged, any other value as JSON. */
  async describe(manifest: unknown): Promise<void> {
    await writeFile(this.manifest, typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}
