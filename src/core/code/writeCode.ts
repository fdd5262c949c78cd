import type { CodeRequest, CodeService } from './codeRequest.ts';
import { writeCurl } from './writeCurl.ts';
import { writePython } from './writePython.ts';
import { writeR } from './writeR.ts';

/** A language in which requests can be written. */
export type CodeLanguage = 'python' | 'curl' | 'r';

/**
 * Returns the languages that can express the requests. Python code uses dtspy, which supports neither plain tokens nor
 * a search with an empty query. R supports neither empty names nor text that contains a null character or isn't valid
 * Unicode.
 */
export function listCodeLanguages(service: CodeService, requests: readonly CodeRequest[]): readonly CodeLanguage[] {
  const isForDtspy = service.scheme === 'base64' && !requests.some((one) => one.kind === 'search' && one.query === '');
  return [...(isForDtspy ? (['python'] as const) : []), 'curl', ...(requests.every(isForR) ? (['r'] as const) : [])];
}

function isForR(value: unknown): boolean {
  if (typeof value === 'string') return !/[\0\p{Surrogate}]/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => name !== '' && isForR(name) && isForR(member));
}

/**
 * Writes a program that sends the requests. The program reads the key from an environment variable. The returned text
 * doesn't end with a line feed.
 */
export function writeCode(language: CodeLanguage, service: CodeService, requests: readonly CodeRequest[]): string {
  const write = { python: writePython, curl: writeCurl, r: writeR }[language];
  return write(service, requests);
}
