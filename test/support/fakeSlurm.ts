import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { CommandScripts } from './commandScripts.ts';
import { eventually } from './eventually.ts';

/**
 * Commands of Slurm that come first on the PATH of this process. Every task fails at once because its file is a folder,
 * and `scancel` waits until it may end.
 */
export class FakeSlurm {
  readonly folder: string;
  private readonly commands: CommandScripts;

  private constructor(folder: string) {
    this.folder = folder;
    this.commands = new CommandScripts(folder);
  }

  static async start(): Promise<FakeSlurm> {
    const fake = new FakeSlurm(await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-fake-slurm-')));
    const failure = JSON.stringify({ done: [], failure: { position: 0, operation: 'read', code: 'EISDIR' } });
    fake.commands.replace('scontrol', 'echo MaxArraySize = 1001');
    fake.commands.replace('squeue', 'exit 0');
    fake.commands.replace(
      'sbatch',
      `for one; do case "$one" in --chdir=*) echo '${failure}' > "\${one#--chdir=}/result.0.json";; esac; done; echo 7`,
    );
    execFileSync('mkfifo', [nodePath.join(fake.folder, 'end')]);
    fake.commands.replace('scancel', `touch ${fake.marker}; read -r line < ${nodePath.join(fake.folder, 'end')}`);
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
    this.commands.restore();
    await fs.rm(this.folder, { recursive: true, force: true });
  }

  private get marker(): string {
    return nodePath.join(this.folder, 'canceled');
  }
}
