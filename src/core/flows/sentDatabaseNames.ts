import type { CodeRequest } from '../code/codeRequest.ts';
import type { OpenConnection } from './openConnections.ts';

/** Replaces the database names in requests with the names or IDs that the service expects (D7: database name or id). */
export async function resolveDatabaseNames(
  { client }: OpenConnection,
  requests: readonly CodeRequest[],
): Promise<readonly CodeRequest[]> {
  return await Promise.all(requests.map((request) => resolveNames(request, (name) => client.resolveDatabase(name))));
}

async function resolveNames(request: CodeRequest, resolve: (name: string) => Promise<string>): Promise<CodeRequest> {
  if (request.kind === 'status') return request;
  if (request.kind !== 'transfer') return { ...request, database: await resolve(request.database) };
  const [source, destination] = [await resolve(request.source), await resolve(request.destination)];
  return { ...request, source, destination };
}
