import { HttpProblem } from './httpProblem.ts';
import type { FieldSource } from './fields.ts';

/** A response that stays open and sends one JSON value per line, until either side ends it. */
export interface LineStream {
  write(value: unknown): void;
  end(): void;
  /** Calls the listener once when the stream ends, or immediately if it has already ended. */
  onEnd(listener: () => void): void;
}

/** The result of a handler, with at most one kind of body. */
export interface RouteResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Yields the JSON text of the body in chunks. Used instead of `body`. A failure aborts the response. */
  readonly pieces?: AsyncIterable<string>;
  /** Receives the stream of a response that stays open. Used instead of `body`. */
  readonly lines?: (lines: LineStream) => void;
}

/** A route of the API, and its handler. */
export interface ApiRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path pattern, for example `/api/v1/transfers/{id}`. */
  readonly path: string;
  /** True if no token is required. */
  readonly isOpen?: boolean;
  /** True if only the sharing token is accepted, not the API token (D29: shared service, D41: two secrets). */
  readonly needsSharingToken?: boolean;
  /** Validates the fields and returns the response, or throws {@link HttpProblem}. */
  readonly handle: (source: FieldSource) => Promise<RouteResponse>;
}

interface RouteMatch {
  readonly route: ApiRoute;
  /** The `{name}` parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds the route for a request. Throws {@link HttpProblem}: 404 for an unknown path, 405 for an unsupported method.
 */
export function findRoute(routes: readonly ApiRoute[], method: string, path: string): RouteMatch {
  const matches = routes.flatMap((route) => {
    const params = matchPath(route.path, path);
    return params === undefined ? [] : [{ route, params }];
  });
  const first = matches[0];
  if (first === undefined) throw new HttpProblem(404, 'There is no resource at this address.');
  // The first match counts, so a literal path must be registered before a parameter that matches it.
  const sameShape = matches.filter((match) => match.route.path === first.route.path);
  const found = sameShape.find((match) => match.route.method === method);
  if (found !== undefined) return found;
  const allow = sameShape.map((match) => match.route.method).join(', ');
  throw new HttpProblem(405, `${method} is not allowed here; allowed: ${allow}.`, { headers: { Allow: allow } });
}

/** Returns the route pattern for a path, regardless of the method; undefined for unknown paths. */
export function findPattern(routes: readonly ApiRoute[], path: string): string | undefined {
  return routes.find((route) => matchPath(route.path, path) !== undefined)?.path;
}

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const expected = pattern.split('/');
  const actual = path.split('/');
  if (expected.length !== actual.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of expected.entries()) {
    const value = actual[index] ?? '';
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
