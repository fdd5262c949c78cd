import { STATUS_CODES } from 'node:http';
import type { ProblemDocument } from '../../contract/problem.ts';
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
