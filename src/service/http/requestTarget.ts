import { HttpProblem } from './httpProblem.ts';

/** What a request asks for. */
export interface RequestTarget {
  /** Not decoded; without doubled slashes, and without one at the end. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Of an absolute target, `http://127.0.0.1:8080/path`, as programs send it to a proxy. */
  readonly authority?: string;
}

const absolute = /^([a-z][a-z0-9+.-]*):\/\/([^/?]*)(.*)$/i;

/** Reads the target of a request line. Throws {@link HttpProblem} 400 for an absolute one that is not `http`. */
export function parseTarget(target: string): RequestTarget {
  const [, scheme, authority, rest] = absolute.exec(target) ?? [];
  if (scheme === undefined || authority === undefined) return partsOf(target);
  if (scheme.toLowerCase() !== 'http') throw new HttpProblem(400, 'Only http is spoken here.');
  return { ...partsOf(rest?.startsWith('/') === true ? rest : `/${rest ?? ''}`), authority };
}

function partsOf(target: string): RequestTarget {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: normalizePath(target), query: new URLSearchParams() };
  return { path: normalizePath(target.slice(0, mark)), query: new URLSearchParams(target.slice(mark + 1)) };
}

/**
 * Returns the path with single slashes. A client whose server address ends in a slash sends `//api/v1/files`, and a
 * redirect would turn its POST into a GET (D26).
 */
function normalizePath(path: string): string {
  const single = path.replaceAll(/\/{2,}/g, '/');
  return single.length > 1 && single.endsWith('/') ? single.slice(0, -1) : single;
}
