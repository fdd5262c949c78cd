import { eventually } from './eventually.ts';

interface Database {
  readonly name: string;
  readonly url: string;
}

interface ServiceAccess {
  readonly address: string;
  readonly token: string;
}

/**
 * Waits until no folder of a service is being scanned for the first time. Without it, the first search of a folder fails
 * if the scan takes longer than a search waits, as on a busy machine.
 */
export async function waitForScans({ address, token }: ServiceAccess): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${address}/api/v1/databases`, { headers });
  const databases = (await response.json()) as readonly Database[];
  for (const { name } of databases.filter(({ url }) => url.startsWith('file:'))) {
    const body = JSON.stringify({ database: name, orcid: '0000-0002-1825-0097', query: '', limit: 1 });
    await eventually(async () => {
      const found = await fetch(`${address}/api/v1/files`, { method: 'POST', headers, body });
      const text = await found.text();
      return found.status === 500 && text.includes(' is being scanned.') ? undefined : true;
    });
  }
}
