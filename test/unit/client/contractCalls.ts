import type { DataTransferClient } from '../../../src/core/client/dataTransferClient.ts';
import type { Reply } from '../../../src/core/client/reply.ts';

/** A prepared call to the client. */
export type Call = (client: DataTransferClient) => Promise<Reply<unknown>>;

/** Arguments without static types. */
export type UntypedFields = Readonly<Record<string, unknown>>;

/** The transfer ID of the calls below. */
export const transferId = 'f710559a-5d01-417b-91ac-3726503d11a3';

/** Returns the call for a valid search with the given changes. */
export function search(changes: UntypedFields): Call {
  return (client) => client.search({ database: 'D', orcid: 'O', query: 'Q', ...changes });
}

/** Returns the call for a valid metadata request with the given changes. */
export function metadata(changes: UntypedFields): Call {
  return (client) => client.fetchMetadata({ database: 'D', orcid: 'O', ids: ['a', 'b'], ...changes });
}

/** Returns the call for a valid submission with the given changes. */
export function transfer(changes: UntypedFields): Call {
  return (client) => client.transfer({ orcid: 'O', source: 'S', destination: 'T', fileIds: ['a', 'b'], ...changes });
}

/** Returns the call for a valid cancel with the given changes. */
export function cancel(changes: UntypedFields): Call {
  return (client) => client.cancelTransfer({ orcid: 'O', id: transferId, ...changes });
}
