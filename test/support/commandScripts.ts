import * as fs from 'node:fs';
import { delimiter, join } from 'node:path';

/** Shell scripts that take the place of commands: their folder comes first on the PATH of this process. */
export class CommandScripts {
  readonly folder: string;
  private readonly pathBefore = process.env['PATH'];

  /** Puts the folder, which is created if necessary, first on the PATH until {@link restore} is called. */
  constructor(folder: string) {
    this.folder = folder;
    fs.mkdirSync(folder, { recursive: true });
    process.env['PATH'] = [folder, this.pathBefore].join(delimiter);
  }

  /** Makes a command run a script, also if a shell is reading the command's former script. */
  replace(command: string, script: string): void {
    const file = join(this.folder, command);
    fs.writeFileSync(`${file}.new`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    fs.renameSync(`${file}.new`, file);
  }

  restore(): void {
    process.env['PATH'] = this.pathBefore;
  }
}
