import { readFile } from 'node:fs/promises';
import { parseJsonObject } from '../../core/util/json.ts';
import { isOwnProcess } from '../../core/util/ownProcess.ts';
import { createRequestError } from '../cliError.ts';

/** The address and the key of a running local service. */
interface ServiceAccess {
  readonly address: string;
  readonly token: string;
}

/**
 * Reads the file in which the user's local service publishes its address and key (D29: shared service). Throws an error
 * if the service isn't running.
 */
export async function readServiceFile(file: string): Promise<ServiceAccess> {
  const content = await readFile(file, 'utf8').catch(() => '');
  const record = parseJsonObject(content) ?? {};
  const { address, token } = record;
  if (isOwnProcess(record) && typeof address === 'string' && typeof token === 'string') return { address, token };
  throw createRequestError("Couldn't connect", { kind: 'serviceStopped' });
}
