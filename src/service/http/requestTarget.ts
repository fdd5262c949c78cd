import { HttpProblem } from './httpProblem.ts';

interface RequestTarget {
  /** The undecoded path, without repeated or trailing slashes. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Host and port from an absolute target such as `http://127.0.0.1:8080/path`, as sent to proxies. */
  readonly authority?: string;
}

const absolute = /^([a-z][a-z0-9+.-]*):\/\/([^/?]*)(.*)$/i;

/** Parses the target of a request line. Throws {@link HttpProblem} 400 for an absolute target that is not `http`. */
export function parseTarget(target: string): RequestTarget {
  const [, scheme, authority, rest] = absolute.exec(target) ?? [];
  if (scheme === undefined || authority === undefined) return splitTarget(target);
  if (scheme.toLowerCase() !== 'http') throw new HttpProblem(400, 'Only http is supported.');
  return { ...splitTarget(rest?.startsWith('/') === true ? rest : `/${rest ?? ''}`), authority };
}

function splitTarget(target: string): RequestTarget {
  const queryStart = target.indexOf('?');
  if (queryStart < 0) return { path: normalizePath(target), query: new URLSearchParams() };
  return { path: normalizePath(target.slice(0, queryStart)), query: new URLSearchParams(target.slice(queryStart + 1)) };
}

/** Removes repeated and trailing slashes. A client whose server address ends in a slash sends `//api/v1/files`. */
function normalizePath(path: string): string {
  const single = path.replaceAll(/\/{2,}/g, '/');
  return single.length > 1 && single.endsWith('/') ? single.slice(0, -1) : single;
}
