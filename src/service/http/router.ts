import { HttpProblem } from './httpProblem.ts';
import type { FieldSource } from './fields.ts';

/** An answer that stays open, one value as JSON a line, until one of the two sides ends it. */
export interface LineStream {
  write(value: unknown): void;
  end(): void;
  /** Calls once when it has ended; at once where that is so already. */
  onEnd(listener: () => void): void;
}

/** What a handler answers; without a body when there is none to send. */
export interface ApiAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of a body: its JSON text, piece by piece. When it fails in the middle, the connection is cut. */
  readonly pieces?: AsyncIterable<string>;
  /** Instead of a body: takes the answer over, which stays open. */
  readonly lines?: (lines: LineStream) => void;
}

/** What the server needs to know of an operation. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `/api/v1/transfers/{id}`. */
  readonly path: string;
  /** Answered without a token. */
  readonly isOpen?: boolean;
  /** Answered to the sharing token only, which the token of the API does not replace (D29, D41). */
  readonly needsSharingToken?: boolean;
  /** Checks the fields and answers. Throws {@link HttpProblem}. */
  readonly answer: (given: FieldSource) => Promise<ApiAnswer>;
}

/** A route and the parts of the path that it names. */
interface RouteMatch {
  readonly route: Route;
  /** The `{name}` parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the route for a request. Throws {@link HttpProblem}: 404 for an unknown path, 405 with `Allow` for a wrong method. */
export function findRoute(routes: readonly Route[], method: string, path: string): RouteMatch {
  const matches = routes.flatMap((route) => {
    const params = matchPath(route.path, path);
    return params === undefined ? [] : [{ route, params }];
  });
  const first = matches[0];
  if (first === undefined) throw new HttpProblem(404, 'There is nothing at this address.');
  // A path with no `{name}` in it is meant before one that has it: transfers/records is not a transfer.
  const sameShape = matches.filter((match) => match.route.path === first.route.path);
  const found = sameShape.find((match) => match.route.method === method);
  if (found !== undefined) return found;
  const allow = sameShape.map((match) => match.route.method).join(', ');
  throw new HttpProblem(405, `${method} is not possible here: ${allow} is.`, { headers: { Allow: allow } });
}

/** Returns the pattern of the route that a path belongs to, whatever the method; undefined where there is none. */
export function findPattern(routes: readonly Route[], path: string): string | undefined {
  return routes.find((route) => matchPath(route.path, path) !== undefined)?.path;
}

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (!part.startsWith('{')) {
      if (part !== value) return undefined;
      continue;
    }
    const decoded = decode(value);
    if (decoded === undefined || decoded === '') return undefined;
    params[part.slice(1, -1)] = decoded;
  }
  return params;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
