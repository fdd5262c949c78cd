import { HttpProblem } from './httpProblem.ts';

/** What a request asks for. */
export interface RequestTarget {
  /** Not decoded. */
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
  if (mark < 0) return { path: target, query: new URLSearchParams() };
  return { path: target.slice(0, mark), query: new URLSearchParams(target.slice(mark + 1)) };
}
