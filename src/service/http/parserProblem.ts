import { STATUS_CODES } from 'node:http';
import { problemMediaType } from '../../contract/problem.ts';
import { HttpProblem } from './httpProblem.ts';

/** The problem that the HTTP parser or its clock found; undefined when it was the connection that broke. */
export function parserProblem(error: NodeJS.ErrnoException): HttpProblem | undefined {
  const code = error.code ?? '';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new HttpProblem(408, 'The request did not arrive in time.');
  if (code === 'HPE_HEADER_OVERFLOW') return new HttpProblem(431, 'The request line and headers are too large.');
  if (/CHUNK/.test(code)) return new HttpProblem(400, 'The chunks of the request body are malformed.');
  if (code.startsWith('HPE_')) return new HttpProblem(400, 'The request is not valid HTTP.');
  return undefined;
}

/** A problem as the bytes of a whole answer, for where there is no response to write to. */
export function rawAnswer(problem: HttpProblem): string {
  const body = JSON.stringify(problem.document());
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
