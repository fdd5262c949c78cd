import type { DataTransferClient } from '../../../src/core/client/dataTransferClient.ts';
import type { Reply } from '../../../src/core/client/reply.ts';

/** One call of the client, prepared. */
export type Call = (client: DataTransferClient) => Promise<Reply<unknown>>;

/** Arguments as a careless caller gives them. */
export type Loose = Readonly<Record<string, unknown>>;

/** The id that the calls below use. */
export const transferId = 'f710559a-5d01-417b-91ac-3726503d11a3';

/** A search that is right but for what `changes` says. */
export function search(changes: Loose): Call {
  return (client) => client.search({ database: 'D', orcid: 'O', query: 'Q', ...changes });
}

/** A metadata request that is right but for what `changes` says. */
export function metadata(changes: Loose): Call {
  return (client) => client.fetchMetadata({ database: 'D', orcid: 'O', ids: ['a', 'b'], ...changes });
}

/** A submission that is right but for what `changes` says. */
export function transfer(changes: Loose): Call {
  return (client) => client.transfer({ orcid: 'O', source: 'S', destination: 'T', fileIds: ['a', 'b'], ...changes });
}

/** A cancel that is right but for what `changes` says. */
export function cancel(changes: Loose): Call {
  return (client) => client.cancelTransfer({ orcid: 'O', id: transferId, ...changes });
}
