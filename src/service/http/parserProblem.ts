import { STATUS_CODES } from 'node:http';
import { problemMediaType } from '../../contract/problem.ts';
import { HttpProblem } from './httpProblem.ts';

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
