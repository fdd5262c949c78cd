import { STATUS_CODES } from 'node:http';
import type { ProblemDocument } from '../../contract/problem.ts';
import { mostNamed, type FieldProblem } from './issues.ts';

interface ProblemOptions {
  readonly errors?: readonly FieldProblem[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown by a handler to answer with a problem document (D26); `message` becomes its `detail`. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly status: number;
  readonly errors: readonly FieldProblem[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, options: ProblemOptions = {}) {
    super(detail);
    this.status = status;
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
  }

  /** The body of the answer. */
  document(): ProblemDocument {
    const document = { title: STATUS_CODES[this.status] ?? 'Error', status: this.status, detail: this.message };
    return this.errors.length === 0 ? document : { ...document, errors: this.errors.map((error) => ({ ...error })) };
  }
}

/** The entries of a list, how many more there are, and a bounded number of other fields. */
const mostProblems = 2 * mostNamed;

/** 422 that names the wrong fields. */
export function wrongFields(errors: readonly FieldProblem[]): HttpProblem {
  const detail = errors.length === 1 ? 'The request has a wrong field.' : 'The request has wrong fields.';
  return new HttpProblem(422, detail, { errors: errors.slice(0, mostProblems) });
}
