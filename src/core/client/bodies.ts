import type { SearchRequest } from '../../contract/search.ts';
import type { TransferRequest } from '../../contract/transfer.ts';
import { numberToSend, objectToSend, statusToSend, textToSend } from './arguments.ts';
import type { Given } from './arguments.ts';
import type { HttpRequest } from './exchange.ts';

function post(path: string, body: SearchRequest | TransferRequest): HttpRequest {
  return { method: 'POST', path, body: JSON.stringify(body) };
}

/** The search of checked arguments, with what the database is called by (§4.3, D7). */
export function searchRequest(given: Given, database: string): HttpRequest {
  const status = statusToSend(given['status']);
  const offset = numberToSend(given['offset']);
  const limit = numberToSend(given['limit']);
  const specific = objectToSend(given['specific']);
  return post('files', {
    database,
    orcid: String(given['orcid']),
    query: String(given['query']),
    ...(status && { status }),
    ...(offset !== undefined && { offset }),
    ...(limit !== undefined && { limit }),
    ...(specific && { specific }),
  });
}

/** The submission of checked arguments, with what the databases are called by (§4.5, D7). */
export function transferRequest(given: Given, source: string, destination: string): HttpRequest {
  const description = textToSend(given['description']);
  const instructions = objectToSend(given['instructions']);
  return post('transfers', {
    orcid: String(given['orcid']),
    source,
    destination,
    file_ids: [...(given['fileIds'] as readonly string[])],
    ...(description !== undefined && { description }),
    ...(instructions && { instructions }),
  });
}
