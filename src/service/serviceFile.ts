import * as fs from 'node:fs';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { isJsonObject } from '../core/util/json.ts';
import { serviceVersion } from './version.ts';
import { writeBeside } from './writeBeside.ts';

/** The two secrets of a shared service: the token of the API, and that of leases and stop (D41). */
interface ServiceSecrets {
  readonly token: string;
  readonly sharingToken: string;
}

/**
 * The file that names the running service to the windows of its owner: address, secrets, process, machine and version
 * (D29). It is there as long as the service is, and stays only after a crash.
 */
export class ServiceFile {
  private readonly file: string;
  private readonly secrets: ServiceSecrets;

  constructor(dataFolder: string, secrets: ServiceSecrets) {
    this.file = nodePath.join(dataFolder, 'service.json');
    this.secrets = secrets;
  }

  async write(address: string): Promise<void> {
    const { token, sharingToken } = this.secrets;
    const record = { address, token, sharingToken, pid: process.pid, host: os.hostname(), version: serviceVersion };
    await writeBeside(this.file, `${JSON.stringify(record)}\n`);
  }

  /** Removes the file where it still names this service. Never throws, and waits for no thread: all may hang (D42). */
  remove(): void {
    try {
      const record: unknown = JSON.parse(fs.readFileSync(this.file, 'utf8'));
      if (isJsonObject(record) && record['token'] === this.secrets.token) fs.rmSync(this.file);
    } catch {
      // Not there, or not ours.
    }
  }
}
