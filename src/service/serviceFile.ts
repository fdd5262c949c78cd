import * as fs from 'node:fs';
import { parseJsonObject } from '../core/util/json.ts';
import { describeProcess } from '../core/util/ownProcess.ts';
import { writeFileAtomically } from '../core/util/durableFiles.ts';
import { serviceVersion } from './version.ts';

interface PublishedService {
  readonly address: string;
  readonly token: string;
  readonly sharingToken: string;
}

/**
 * Writes the file in which the user's windows and the command line find a shared service (D29: shared service). The
 * file is left behind only if the service crashes or is killed.
 */
export async function writeServiceFile(file: string, service: PublishedService): Promise<void> {
  const { address, token, sharingToken } = service;
  const record = { address, token, sharingToken, ...describeProcess(), version: serviceVersion };
  await writeFileAtomically(file, `${JSON.stringify(record)}\n`, true);
}

/**
 * Removes a service's file if it contains the given token. Never throws. Uses the synchronous API, because a hanging
 * disk may block all threads of the asynchronous one (D42: hanging disks).
 */
export function removeServiceFile(file: string, token: string): void {
  try {
    if (parseJsonObject(fs.readFileSync(file, 'utf8'))?.['token'] === token) fs.rmSync(file);
  } catch {
    // The file is missing, or can't be read or removed.
  }
}
