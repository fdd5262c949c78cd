import { json, problem, type Behaviour } from '../../test/support/faultBehaviours.ts';
import { FaultServer, type RecordedRequest } from '../../test/support/faultServer.ts';
import { databases, nameOf, resourcesOf, type PictureResource } from './pictureData.ts';

/** How a transfer of the service stands. */
export interface PictureStatus {
  readonly status: string;
  readonly moved?: number;
  readonly message?: string;
  /** Counted files; those that were requested unless given. */
  readonly count?: number;
}

interface PictureTransfer extends PictureStatus {
  readonly id: string;
  readonly destination: string;
  readonly count: number;
}

/** A transfer that somebody submitted elsewhere. */
export const elsewhere: PictureTransfer = {
  id: 'c0de0000-93d4-4b7a-8c21-0000000000ff',
  destination: 'elsewhere',
  count: 40,
  status: 'active',
  moved: 12,
};

const ends: ReadonlySet<string> = new Set(['succeeded', 'failed']);

type Body = Readonly<Record<string, unknown>>;

const api = '/api/v1';

/** A service whose databases and ids are always the same; its transfers move when they are told to. */
export class PictureService {
  /** For states in which the service is slow, refuses, or fails. */
  readonly http: FaultServer;
  readonly #transfers = new Map<string, PictureTransfer>([[elsewhere.id, elsewhere]]);
  /** Transfers that the window goes on asking for. */
  readonly #watched = new Set<string>();
  #unasked = new Set<string>();

  private constructor(http: FaultServer) {
    this.http = http;
    http.on('GET /', json({ name: 'Research Data Service', version: '2.4.0' }));
    this.listDatabases();
    for (const { id, name, parameters = {} } of databases)
      for (const called of [id, encodeURIComponent(name)])
        http.on(`GET ${api}/databases/${called}/search-parameters`, json(parameters));
    this.answerSearches();
    this.answerMetadata();
    http.on(`GET ${api}/files/by-id`, json({}, 405));
    this.acceptTransfers();
    this.answerQuestions();
    http.on(`DELETE ${api}/transfers/*`, json({}, 202));
  }

  static async start(): Promise<PictureService> {
    return new PictureService(await FaultServer.start());
  }

  /** Lists the databases, as it does from the beginning. */
  listDatabases(): void {
    const listed = databases.map(({ id, name, organization }) => ({ id, name, organization, url: '' }));
    this.http.on(`GET ${api}/databases`, json(listed));
  }

  /** Tells the metadata of files. */
  answerMetadata(): void {
    this.http.on(`POST ${api}/files/by-id`, answering(found));
  }

  /** Tells how transfers stand. */
  answerQuestions(): void {
    this.http.on(
      `GET ${api}/transfers/*`,
      answering((request) => this.#tell(idIn(request))),
    );
  }

  /** From now on, {@link unaskedCount} counts again. */
  countQuestions(): void {
    this.#unasked = new Set(this.#watched);
  }

  /** Transfers that the window has still to ask for. */
  get unaskedCount(): number {
    return this.#unasked.size;
  }

  /** Cannot, or does not want to, tell how transfers stand. */
  failQuestions(why: string, status = 500): void {
    this.http.on(`GET ${api}/transfers/*`, problem(status, why));
  }

  /** Searches find what they should. */
  answerSearches(): void {
    this.http.on(`POST ${api}/files`, answering(search));
  }

  /** Transfers are accepted, the first under the id `…0001`. */
  acceptTransfers(): void {
    this.http.on(
      `POST ${api}/transfers`,
      answering((request) => this.#take(bodyOf(request))),
    );
  }

  /** From now on the transfers to a destination stand like this. */
  become(destination: string, status: PictureStatus): void {
    const ids = [...this.#transfers.values()].filter((one) => one.destination === destination).map(({ id }) => id);
    if (ids.length === 0) throw new Error(`No transfer to ${destination} was submitted.`);
    for (const id of ids) this.#set(id, status);
  }

  #set(id: string, status: PictureStatus): void {
    const transfer = this.#transfers.get(id);
    if (transfer) this.#transfers.set(id, { ...transfer, ...status });
  }

  #take(body: Body): Behaviour {
    const id = `5f0c6a1e-93d4-4b7a-8c21-${String(this.#transfers.size).padStart(12, '0')}`;
    const count = Array.isArray(body['file_ids']) ? body['file_ids'].length : 0;
    this.#transfers.set(id, { id, destination: nameOf(String(body['destination'])), count, status: 'staging' });
    this.#watched.add(id);
    return json({ id }, 201);
  }

  #tell(id: string): Behaviour {
    const transfer = this.#transfers.get(id);
    if (!transfer) return problem(404, `transfer not found: ${id}`);
    this.#unasked.delete(id);
    if (ends.has(transfer.status)) this.#watched.delete(id);
    else this.#watched.add(id);
    const { status, message, moved = 0, count } = transfer;
    return json({ id, status, message, num_files: count, num_files_transferred: moved });
  }
}

function answering(make: (request: RecordedRequest) => Behaviour): Behaviour {
  return async (request, response) => {
    await make(request)(request, response);
  };
}

function bodyOf(request: RecordedRequest): Body {
  return JSON.parse(request.body) as Body;
}

function idIn(request: RecordedRequest): string {
  return request.path.split('/').at(-1) ?? '';
}

function search(request: RecordedRequest): Behaviour {
  const { database, query, offset = 0, limit = 100 } = bodyOf(request);
  const words = String(query).toLowerCase().split(' ');
  const matches = resourcesOf(String(database)).filter((one) => words.every((word) => textOf(one).includes(word)));
  return json({ database, query, resources: matches.slice(Number(offset), Number(offset) + Number(limit)) });
}

function textOf({ name, title = '', description = '' }: PictureResource): string {
  return `${name} ${title} ${description}`.toLowerCase();
}

/** Files that the service does not know are left out. */
function found(request: RecordedRequest): Behaviour {
  const { database, file_ids: ids } = bodyOf(request);
  const wanted = new Set(Array.isArray(ids) ? ids : []);
  return json({ database, resources: resourcesOf(String(database)).filter(({ id }) => wanted.has(id)) });
}
