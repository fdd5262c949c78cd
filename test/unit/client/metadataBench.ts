import type { MetadataReply } from '../../../src/core/client/reply.ts';
import type { FoundFile } from '../../../src/core/model/fileEntry.ts';
import { json, problem } from '../../support/faultBehaviors.ts';
import type { Behavior } from '../../support/faultBehaviors.ts';
import { startBench } from './clientBench.ts';
import type { Bench, BenchOptions } from './clientBench.ts';

/** The functions of the fixture for metadata tests. */
interface MetadataSuite {
  /** Starts a bench that is connected to a service without databases. */
  start(options?: BenchOptions): Promise<Bench>;
  /** Requests the metadata of files from the service that was started last. */
  fetch(ids: readonly string[], page?: { readonly offset?: number; readonly limit?: number }): Promise<MetadataReply>;
}

/** Returns the fixture for the enclosing `describe` and registers a hook that ends the bench after each test. */
export function metadataSuite(): MetadataSuite {
  let bench: Bench;
  afterEach(async () => await bench.end());
  return {
    start: async (options) => {
      bench = await startBench(options);
      bench.server.on('GET /api/v1/databases', json([]));
      await bench.connect();
      return bench;
    },
    fetch: async (ids, page) => await bench.client.fetchMetadata({ database: 'D', orcid: 'O', ids, ...page }),
  };
}

/** The route of metadata requests in the form that the specification defines (§4.4). */
export const getRoute = 'GET /api/v1/files/by-id';

/** The route of metadata requests in the newer form (D8: metadata by ids). */
export const postRoute = 'POST /api/v1/files/by-id';

/** Returns the id of each file, in order; `unreadable` for a file that can't be read. */
export function getIds(files: readonly FoundFile[]): readonly string[] {
  return files.map((file) => (file.kind === 'file' ? file.id : 'unreadable'));
}

/**
 * Responds with the requested files in reverse order. Refuses requests with bad IDs and, if `isNaming`, names those
 * IDs.
 */
export function returnFilesExcept(bad: readonly string[], isNaming: boolean, status = 400): Behavior {
  return async (request, response) => {
    const body = request.body === '' ? undefined : (JSON.parse(request.body) as { file_ids: string[] });
    const ids = body?.file_ids ?? (request.query.get('ids') ?? '').split(',');
    const found = bad.filter((id) => ids.includes(id));
    const refusal = isNaming ? `not found: ${found.join(', ')}` : 'some ids are wrong';
    const resources = ids.map((id) => ({ id })).reverse();
    await (found.length > 0 ? problem(status, refusal) : json({ resources }))(request, response);
  };
}

/** Returns `count` different ids in ascending order. */
export function createIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `id-${String(index).padStart(4, '0')}`);
}
