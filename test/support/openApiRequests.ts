import type { RequestParts } from './requestText.ts';

type Json = Readonly<Record<string, unknown>>;

const orcid = '0000-0002-1825-0097';
const unknownId = '00000000-0000-4000-8000-000000000000';
const api = '/api/v1';

/** A valid request for each operation. `{done}` stands for the ID of an ended transfer. */
export const validRequests: Readonly<Record<string, RequestParts>> = {
  getRoot: { method: 'GET', target: '/' },
  getHealth: { method: 'GET', target: '/health' },
  getOpenApi: { method: 'GET', target: '/openapi.json' },
  listDatabases: { method: 'GET', target: `${api}/databases` },
  getDatabase: { method: 'GET', target: `${api}/databases/Source%20Data` },
  scanDatabase: { method: 'POST', target: '/databases/source-data/scans' },
  getSearchParameters: { method: 'GET', target: `${api}/databases/source-data/search-parameters` },
  searchFiles: post('/files', { database: 'Source Data', orcid, query: 'a', limit: 5, specific: { format: 'txt' } }),
  getFilesById: { method: 'GET', target: `${api}/files/by-id?database=source-data&orcid=${orcid}&ids=a.txt,b.csv` },
  fetchFilesById: post('/files/by-id', { database: 'source-data', orcid, file_ids: ['a.txt', 'b.csv'] }),
  getContent: content('source-data', 'a.txt'),
  submitTransfer: post('/transfers', { orcid, source: 'source-data', destination: 'target', file_ids: ['a.txt'] }),
  getTransferStatus: { method: 'GET', target: `${api}/transfers/{done}` },
  listTransferFiles: { method: 'GET', target: `/transfers/{done}/files?state=failed&limit=5&cursor=0` },
  cancelTransfer: { method: 'DELETE', target: `${api}/transfers/{done}?orcid=${orcid}` },
  pauseTransfer: { method: 'POST', target: `/transfers/{done}/pause?orcid=${orcid}` },
  resumeTransfer: { method: 'POST', target: `/transfers/{done}/resume?orcid=${orcid}` },
  beginLease: { method: 'POST', target: '/leases', body: '{"databases": []}' },
  getService: { method: 'GET', target: '/service' },
  stopService: { method: 'DELETE', target: '/service?replaced=false' },
};

function content(database: string, id: string, headers: RequestParts['headers'] = {}): RequestParts {
  return {
    method: 'GET',
    target: `/databases/${database}/content?id=${id}`,
    headers: { Range: 'bytes=0-9', ...headers },
  };
}

function post(path: string, body: Json): RequestParts {
  return { method: 'POST', target: api + path, body: JSON.stringify(body) };
}

/**
 * The error statuses that all operations have in common, with functions that turn a valid request into one that causes
 * the status.
 */
export const commonProblems: Readonly<Record<number, (parts: RequestParts) => RequestParts>> = {
  400: (parts) => withHeaders(parts, { Host: undefined }),
  401: (parts) => withHeaders(parts, { Authorization: undefined }),
  403: (parts) => withHeaders(parts, { Host: 'example.org' }),
  413: (parts) => withHeaders(parts, { 'Content-Length': String(9 * 1024 * 1024) }),
  415: (parts) => withHeaders(parts, { 'Content-Type': 'text/plain' }),
  431: (parts) => withHeaders(parts, { 'X-Large': 'x'.repeat(20_000) }),
};

function withHeaders(parts: RequestParts, headers: Readonly<Record<string, string | undefined>>): RequestParts {
  return { ...parts, headers };
}

const other = '0000-0001-5109-3700';

/** The error statuses that are specific to an operation, with requests that cause them. */
export const ownProblems: readonly [operationId: string, status: number, parts: RequestParts][] = [
  ['getDatabase', 404, { method: 'GET', target: `${api}/databases/nothing` }],
  ['scanDatabase', 404, { method: 'POST', target: '/databases/nothing/scans' }],
  ['getSearchParameters', 404, { method: 'GET', target: `${api}/databases/nothing/search-parameters` }],
  ['searchFiles', 400, { ...post('/files', {}), body: '{' }],
  ['searchFiles', 404, post('/files', { database: 'nothing', orcid, query: '' })],
  ['searchFiles', 422, post('/files', { database: 5, offset: -1, colour: 'red' })],
  ['getFilesById', 404, { method: 'GET', target: `${api}/files/by-id?database=target&orcid=${orcid}&ids=no` }],
  ['getFilesById', 422, { method: 'GET', target: `${api}/files/by-id?ids=` }],
  ['fetchFilesById', 404, post('/files/by-id', { database: 'source-data', orcid, file_ids: ['a.txt', 'no'] })],
  ['fetchFilesById', 422, post('/files/by-id', { file_ids: [1, 'a', null] })],
  ['getContent', 404, content('nothing', 'a.txt')],
  ['getContent', 404, content('source-data', 'no')],
  ['getContent', 412, content('source-data', 'a.txt', { 'If-Match': '"1-2"' })],
  ['getContent', 416, content('source-data', 'a.txt', { Range: 'bytes=1-' })],
  ['getContent', 422, content('source-data', 'a.txt', { Range: 'bytes=0-1,3-4' })],
  ['submitTransfer', 422, post('/transfers', { orcid, source: 'target', destination: 'target', file_ids: ['a'] })],
  [
    'submitTransfer',
    404,
    post('/transfers', { orcid, source: 'source-data', destination: 'target', file_ids: ['no'] }),
  ],
  ['submitTransfer', 404, post('/transfers', { orcid, source: 'no', destination: 'target', file_ids: ['a'] })],
  ['submitTransfer', 422, post('/transfers', { orcid: '', instructions: [] })],
  ['getTransferStatus', 404, { method: 'GET', target: `${api}/transfers/${unknownId}` }],
  ['getTransferStatus', 422, { method: 'GET', target: `${api}/transfers/x` }],
  ['listTransferFiles', 404, { method: 'GET', target: `/transfers/${unknownId}/files` }],
  ['listTransferFiles', 422, { method: 'GET', target: `/transfers/{done}/files?state=x` }],
  ['cancelTransfer', 403, { method: 'DELETE', target: `${api}/transfers/{done}?orcid=${other}` }],
  ['cancelTransfer', 404, { method: 'DELETE', target: `${api}/transfers/${unknownId}?orcid=${orcid}` }],
  ['cancelTransfer', 409, { method: 'DELETE', target: `${api}/transfers/{done}?orcid=${orcid}` }],
  ['cancelTransfer', 422, { method: 'DELETE', target: `${api}/transfers/x?more=1` }],
  ...['pause', 'resume'].flatMap((change): typeof ownProblems => [
    [`${change}Transfer`, 403, { method: 'POST', target: `/transfers/{done}/${change}?orcid=${other}` }],
    [`${change}Transfer`, 404, { method: 'POST', target: `/transfers/${unknownId}/${change}?orcid=${orcid}` }],
    [`${change}Transfer`, 409, { method: 'POST', target: `/transfers/{done}/${change}?orcid=${orcid}` }],
    [`${change}Transfer`, 422, { method: 'POST', target: `/transfers/x/${change}?more=1` }],
  ]),
  ['beginLease', 422, { method: 'POST', target: '/leases', body: '{"databases": [{"folder": ""}], "more": 1}' }],
  ['stopService', 422, { method: 'DELETE', target: '/service?replaced=perhaps' }],
];
