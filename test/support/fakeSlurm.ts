import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { eventually } from './eventually.ts';

/**
 * Commands of Slurm that come first on the PATH of this process. Every task fails at once because its file is a folder,
 * and `scancel` waits until it may end.
 */
export class FakeSlurm {
  readonly folder: string;
  private readonly pathBefore = process.env['PATH'];

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async start(): Promise<FakeSlurm> {
    const fake = new FakeSlurm(await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-fake-slurm-')));
    const failure = JSON.stringify({ done: [], failure: { position: 0, operation: 'read', code: 'EISDIR' } });
    await fake.write('scontrol', 'echo MaxArraySize = 1001');
    await fake.write('squeue', 'exit 0');
    await fake.write(
      'sbatch',
      `for one; do case "$one" in --chdir=*) echo '${failure}' > "\${one#--chdir=}/result.0.json";; esac; done; echo 7`,
    );
    execFileSync('mkfifo', [nodePath.join(fake.folder, 'end')]);
    await fake.write('scancel', `touch ${fake.marker}; read -r line < ${nodePath.join(fake.folder, 'end')}`);
    process.env['PATH'] = `${fake.folder}:${fake.pathBefore}`;
    return fake;
  }

  /** Waits until `scancel` was called. */
  async waitForCancel(): Promise<void> {
    await eventually(async () => await fs.stat(this.marker).catch(() => undefined));
  }

  /** Lets the `scancel` that was called end. */
  async endCancel(): Promise<void> {
    await fs.writeFile(nodePath.join(this.folder, 'end'), 'end\n');
  }

  async stop(): Promise<void> {
    process.env['PATH'] = this.pathBefore;
    await fs.rm(this.folder, { recursive: true, force: true });
  }

  private get marker(): string {
    return nodePath.join(this.folder, 'canceled');
  }

  private async write(name: string, text: string): Promise<void> {
    await fs.writeFile(nodePath.join(this.folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
}
