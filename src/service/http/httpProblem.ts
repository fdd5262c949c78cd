import { STATUS_CODES } from 'node:http';
import { problemMediaType, type ProblemDocument } from '../../contract/contract.ts';
import { toQuotable } from './quotable.ts';
import { maxNamedFields, type FieldProblem } from './schemaIssues.ts';

interface ProblemOptions extends ErrorOptions {
  readonly errors?: readonly FieldProblem[];
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An error that the server reports as a problem document (D26: service HTTP behavior). The message becomes the
 * `detail`.
 */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly status: number;
  readonly errors: readonly FieldProblem[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, options: ProblemOptions = {}) {
    super(detail, options);
    this.status = status;
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
  }

  toDocument(): ProblemDocument {
    const document = { title: STATUS_CODES[this.status] ?? 'Error', status: this.status, detail: this.message };
    return this.errors.length === 0 ? document : { ...document, errors: this.errors.map((error) => ({ ...error })) };
  }
}

/**
 * Maximum number of entries in the `errors` of a problem document. Leaves room for up to {@link maxNamedFields} invalid
 * entries in one list, the count of the rest, and problems in other fields.
 */
const maxProblems = 2 * maxNamedFields;

/** Returns a 422 problem that lists invalid fields, up to a limit. */
export function createFieldsProblem(errors: readonly FieldProblem[]): HttpProblem {
  const detail = errors.length === 1 ? 'The request has an invalid field.' : 'The request has invalid fields.';
  return new HttpProblem(422, detail, { errors: errors.slice(0, maxProblems) });
}

interface LocatedId {
  readonly id: string;
  readonly location: string;
}

/** Returns a 404 problem for unknown file IDs. Quotes the first hundred and counts the rest. */
export function createUnknownIdsProblem(unknown: readonly LocatedId[], listLocation: string): HttpProblem {
  const errors = listIds('unknown', unknown, listLocation);
  return new HttpProblem(404, 'The database does not have all of the files.', { errors });
}

/** Returns a 422 problem that names the repeated file IDs, then the unknown ones (D26: service HTTP behavior). */
export function createRepeatedIdsProblem(
  repeated: readonly LocatedId[],
  unknown: readonly LocatedId[],
  listLocation: string,
): HttpProblem {
  const errors = [
    ...listIds('given more than once', repeated, listLocation),
    ...listIds('unknown', unknown, listLocation),
  ];
  return new HttpProblem(422, 'A transfer can contain each file only once.', { errors });
}

function listIds(problem: string, ids: readonly LocatedId[], listLocation: string): FieldProblem[] {
  const errors: FieldProblem[] = ids
    .slice(0, maxNamedFields)
    .map(({ id, location }) => ({ message: `${problem}: "${toQuotable(id)}"`, location }));
  const more = ids.length - errors.length;
  if (more > 0) errors.push({ message: `and ${more} more`, location: listLocation });
  return errors;
}

/** Returns the problem for an error or timeout reported by the HTTP parser; undefined if the connection broke. */
export function toParserProblem(error: NodeJS.ErrnoException): HttpProblem | undefined {
  const code = error.code ?? '';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new HttpProblem(408, 'The request did not arrive in time.');
  if (code === 'HPE_HEADER_OVERFLOW') return new HttpProblem(431, 'The request line and headers are too large.');
  if (/CHUNK/.test(code)) return new HttpProblem(400, 'The chunks of the request body are malformed.');
  if (code.startsWith('HPE_')) return new HttpProblem(400, 'The request is not valid HTTP.');
  return undefined;
}

/** Formats a problem as a complete HTTP response, for connections without a response object. */
export function formatRawResponse(problem: HttpProblem): string {
  const body = JSON.stringify(problem.toDocument());
  const headers = {
    'Content-Type': problemMediaType,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...problem.headers,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`, ...lines, '', body].join('\r\n');
}
