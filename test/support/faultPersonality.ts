import { chooseBehavior, dropBeforeAnswer, empty, json, plainProblem, problem, text } from './faultBehaviors.ts';
import type { Behavior } from './faultBehaviors.ts';
import type { FaultServer, RecordedRequest } from './faultServer.ts';
import { createResource, describeStaging } from './publicContent.ts';
import { PublicDispatcher, type Outcome } from './publicDispatcher.ts';

/** A transfer as the public server stores it. */
interface PublicTransfer {
  readonly orcid: string;
  /** ID of the destination database. */
  readonly destination?: string;
  status: string;
  message?: string;
  num_files: number;
  num_files_transferred: number;
}

/** The state of a server that behaves like the public one. Tests read and change it. */
export interface PublicState {
  readonly key: string;
  readonly databases: {
    readonly id: string;
    readonly name: string;
    readonly organization: string;
    readonly url: string;
  }[];
  /** IDs of the files that every database contains. */
  readonly files: Set<string>;
  /** Returns the size of a file in bytes. */
  getFileBytes: (id: string) => number;
  /** Returns more properties of a file's metadata, which replace the usual ones. */
  getMoreFields: (id: string) => JsonBody;
  /** IDs of files that crash the server: a metadata request ends its handler, a submission the whole process. */
  readonly crashingIds: Set<string>;
  readonly transfers: Map<string, PublicTransfer>;
  /** Generates the ID of the next transfer. */
  makeId: () => string;
  /**
   * True to refuse the same searches as the public server. It refuses all in kbase, and all in nmdc except those for
   * the ID of a study (D38: learned searchability).
   */
  refusesSearches: boolean;
  /** Number of upcoming status responses with another transfer's counts and message (D11: check status identity). */
  mixedUpAnswers: number;
  /** Handles submissions, cancels and status requests as the server's dispatcher does (D34: serialized requests). */
  readonly dispatcher: PublicDispatcher;
  /** True to respond with `resources: null` if nothing was found (D15: tolerant reading). */
  isNullForNone: boolean;
  /**
   * The account that the key belongs to. An account can lack an ORCID iD in two ways (D44: classify sign-in failures).
   */
  account: 'good' | 'withoutIdentity' | 'withEmptyOrcid';
  /** True to make the authentication service fail, which looks like a rejected key (D28: retry rejected keys). */
  isSignInDown: boolean;
  /** The ORCID iDs that KBase accepts when it is the destination; undefined to accept all. */
  knownOrcids: ReadonlySet<string> | undefined;
  /** True to drop unknown files silently and report the rest as transferred (D39: server data display). */
  dropsUnknownFiles: boolean;
}

type JsonBody = Record<string, unknown>;

const otherId = '99999999-9999-4999-8999-999999999999';

/**
 * Makes a server behave like the public one: IDs instead of names, only `POST files/by-id`, dropped connections for
 * `offset` without `limit`, mixed-up statuses on demand, and cancels that take effect only on active transfers.
 */
export function publicLike(server: FaultServer, key = 'the-test-key'): PublicState {
  const state = newState(key);
  installCommon(server, state, '0.12.1');
  server.on('POST /api/v1/files/by-id', guarded(state, answerMetadata(state)));
  server.on('GET /api/v1/files/by-id', empty(405));
  return state;
}

/** Makes a server behave like the public one in versions before 0.12, which had only `GET files/by-id`. */
export function olderPublicLike(server: FaultServer, key = 'the-test-key'): PublicState {
  const state = newState(key);
  installCommon(server, state, '0.11.3');
  server.on('GET /api/v1/files/by-id', guarded(state, answerMetadataByQuery(state)));
  server.on('POST /api/v1/files/by-id', empty(405));
  return state;
}

function newState(key: string): PublicState {
  const names = {
    jdp: 'JGI Data Portal',
    kbase: 'KBase Workspace Service (KSS)',
    nmdc: 'National Microbiome Data Collaborative',
  };
  const databases = Object.entries(names).map(([id, name]) => ({
    id,
    name,
    organization: `The ${id} people`,
    url: '',
  }));
  const files = new Set(Array.from({ length: 60 }, (_, index) => `JDP:${String(index).padStart(6, '0')}`));
  const signIn = { account: 'good', isSignInDown: false, knownOrcids: undefined } as const;
  return {
    key,
    databases,
    files,
    getFileBytes: () => 10,
    getMoreFields: () => ({}),
    crashingIds: new Set(),
    transfers: new Map(),
    makeId: () => crypto.randomUUID(),
    mixedUpAnswers: 0,
    isNullForNone: true,
    ...signIn,
    refusesSearches: false,
    dropsUnknownFiles: false,
    dispatcher: new PublicDispatcher(),
  };
}

function installCommon(server: FaultServer, state: PublicState, version: string): void {
  server.on('GET /', json({ name: 'DTS prototype', version, uptime: 3, documentation: '/docs' }));
  server.on('GET /api/v1/databases', guarded(state, json(state.databases)));
  server.on(
    'GET /api/v1/databases/jdp/search-parameters',
    guarded(state, json({ d: { type: 'array(string)', value: ['asc', 'desc'] } })),
  );
  server.on('POST /api/v1/files', guarded(state, answerSearch(state)));
  server.on('POST /api/v1/transfers', guarded(state, answerSubmission(server, state)));
  server.on('GET /api/v1/transfers/*', guarded(state, answerStatus(state)));
  server.on('DELETE /api/v1/transfers/*', answerCancel(state));
}

function guarded(state: PublicState, then: Behavior): Behavior {
  return async (request, response) => {
    await (rejectedSignIn(state, request.headers.authorization ?? '') ?? then)(request, response);
  };
}

function rejectedSignIn({ key, account, isSignInDown }: PublicState, header: string): Behavior | undefined {
  const encoded = /^Bearer (.*)$/.exec(header)?.[1];
  if (encoded === undefined) return plainProblem(500, 'invalid authorization header');
  if (!/^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?$/.test(encoded) || encoded.includes('_'))
    return problem(401, 'illegal base64 data at input byte 4');
  if (isSignInDown) return problem(401, 'KBase Auth error: 500');
  if (Buffer.from(encoded, 'base64').toString().trim() !== key) return problem(401, 'KBase Auth error: 401');
  if (account === 'withoutIdentity') return problem(401, 'KBase Auth2: No providers/ORCIDs associated with this user');
  return account === 'good' ? undefined : problem(403, 'The DTS client has no associated ORCID!');
}

function parseBody(request: RecordedRequest): JsonBody {
  return JSON.parse(request.body) as JsonBody;
}

function unknownDatabase(state: PublicState, given: unknown): Behavior | undefined {
  if (state.databases.some((database) => database.id === given)) return undefined;
  return problem(404, `The database '${String(given)}' was not found`);
}

function listResources(state: PublicState, ids: readonly string[]): JsonBody[] | null {
  const resources = ids.map((id) => ({ ...createResource(id, state.getFileBytes(id)), ...state.getMoreFields(id) }));
  return resources.length === 0 && state.isNullForNone ? null : resources;
}

function answerSearch(state: PublicState): Behavior {
  return chooseBehavior((request) => {
    const { database, query, offset = 0, limit } = parseBody(request);
    if (state.refusesSearches && database === 'kbase') {
      return plainProblem(500, 'Search not implemented for kbase database');
    }
    if (state.refusesSearches && database === 'nmdc' && !String(query).startsWith('nmdc:')) {
      return problem(400, "Invalid search query for database 'nmdc': an NMDC study ID is needed");
    }
    if (typeof offset === 'number' && offset > 0 && limit === undefined) return dropBeforeAnswer();
    const size = typeof limit === 'number' ? limit : 50;
    // Pages start at multiples of their size, regardless of the requested offset.
    const start = Math.floor(Number(offset) / size) * size;
    const found = [...state.files].filter((id) => query === '' || id.includes(String(query)));
    const resources = listResources(state, found.slice(start, start + size));
    return unknownDatabase(state, database) ?? json({ database, query, resources });
  });
}

function metadata(state: PublicState, database: unknown, ids: readonly string[]): Behavior {
  const missing = ids.filter((id) => !state.files.has(id));
  const isRepeated = new Set(ids).size < ids.length;
  if (ids.some((id) => state.crashingIds.has(id))) return dropBeforeAnswer();
  const unknown = unknownDatabase(state, database);
  if (unknown) return unknown;
  if (ids.length === 0) return problem(400, 'No file IDs were provided!');
  if (isRepeated) return problem(400, 'Duplicate file IDs found in request');
  const names = missing.join(', ');
  if (missing.length > 0)
    return plainProblem(500, `The following resources in database 'JDP' were not found: ${names}`);
  return json({ database, resources: listResources(state, ids) });
}

function answerMetadata(state: PublicState): Behavior {
  return chooseBehavior((request) => {
    const { database, file_ids } = parseBody(request);
    return metadata(state, database, Array.isArray(file_ids) ? (file_ids as string[]) : []);
  });
}

function answerMetadataByQuery(state: PublicState): Behavior {
  return chooseBehavior(({ query }) => metadata(state, query.get('database'), (query.get('ids') ?? '').split(',')));
}

const noId = '00000000-0000-0000-0000-000000000000';

/** Passes a request to the dispatcher, which may respond with the result of a different request. */
function dispatched(
  { dispatcher }: PublicState,
  kind: 'create' | 'cancel' | 'status',
  work: (request: RecordedRequest) => Outcome,
): Behavior {
  return async (request, response) => {
    const { channel, value } = await dispatcher.handle(kind, () => work(request));
    if (channel === 'errors' && value !== undefined) return await (value as Behavior)(request, response);
    const created = json({ id: channel === 'ids' ? value : noId }, 201);
    const body = json(channel === 'statuses' ? value : emptyStatus(request));
    await { create: created, status: body, cancel: text(202, '') }[kind](request, response);
  };
}

/** Returns the response to a status request that received another request's "no error". */
function emptyStatus(request: RecordedRequest): JsonBody {
  return { id: getTransferId(request), status: 'unknown', num_files: 0, num_files_transferred: 0 };
}

function failing(value: Behavior): Outcome {
  return { channel: 'errors', value };
}

function answerSubmission(server: FaultServer, state: PublicState): Behavior {
  return dispatched(state, 'create', (request) => {
    const { orcid, source, destination, file_ids } = parseBody(request);
    const ids = Array.isArray(file_ids) ? file_ids.map(String) : [];
    if (ids.some((one) => state.crashingIds.has(one))) return failing(crash(server));
    const id = state.makeId();
    const transfer = { orcid: String(orcid), destination: String(destination), num_files: ids.length };
    const unknown = unknownDatabase(state, source) ?? unknownDatabase(state, destination);
    const refused = unknown ?? rejectedOrcid(state, destination, orcid);
    if (refused) return failing(refused);
    const message = describeStaging(id, ids.map(state.getFileBytes));
    state.transfers.set(id, {
      ...transfer,
      status: 'staging',
      message,
      num_files_transferred: 0,
      ...(state.dropsUnknownFiles && createSuccess(state, id, ids)),
    });
    return { channel: 'ids', value: id };
  });
}

function rejectedOrcid({ knownOrcids }: PublicState, destination: unknown, orcid: unknown): Behavior | undefined {
  if (orcid === '') return problem(401, 'No user ORCID was provided');
  if (destination !== 'kbase' || !knownOrcids || knownOrcids.has(String(orcid))) return undefined;
  const detail = `invalid ORCID '${String(orcid)}': KBase user not found for ORCID ${String(orcid)}`;
  return problem(401, detail, [detail]);
}

/** Stops the whole server without a response, as in a crash. The test must restart the server. */
function crash(server: FaultServer): Behavior {
  return () => void server.stop();
}

/** Returns the final status of a transfer that included only the existing files. */
function createSuccess({ files }: PublicState, id: string, requested: readonly string[]): Partial<PublicTransfer> {
  const count = requested.filter((file) => files.has(file)).length;
  const message = `Transfer ${id}: completed successfully`;
  return { status: 'succeeded', message, num_files: count, num_files_transferred: count };
}

function getTransferId(request: RecordedRequest): string {
  return request.path.slice('/api/v1/transfers/'.length);
}

function answerStatus(state: PublicState): Behavior {
  return dispatched(state, 'status', (request) => {
    const id = getTransferId(request);
    const transfer = state.transfers.get(id);
    if (!transfer) return failing(problem(404, `transfer not found: ${id}`));
    const { status, message, num_files, num_files_transferred } = transfer;
    const body = { id, status, message, num_files, num_files_transferred };
    if (state.mixedUpAnswers === 0) return { channel: 'statuses', value: body };
    state.mixedUpAnswers--;
    const others = { status: 'failed', message: `Transfer ${otherId}: failed (x)`, num_files: 9 };
    return { channel: 'statuses', value: { ...body, ...others, num_files_transferred: 1 } };
  });
}

function answerCancel(state: PublicState): Behavior {
  return dispatched(state, 'cancel', (request) => {
    const id = getTransferId(request);
    const transfer = state.transfers.get(id);
    if (!transfer) return failing(plainProblem(500, `transfer not found: ${id}`));
    if (request.query.get('orcid') !== transfer.orcid)
      return failing(plainProblem(500, `cannot cancel transfer ${id}: invalid Orcid`));
    if (transfer.status === 'active') {
      transfer.status = 'failed';
      transfer.message = `Transfer ${id}: canceled`;
    }
    return { channel: 'errors', value: undefined };
  });
}
