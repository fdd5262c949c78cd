/** The parts of a request as sent. A header whose value is undefined is omitted. */
export interface RequestParts {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** Returns a request as HTTP/1.1 text. Adds the headers that every client sends, unless `parts` contains them. */
export function requestText(service: { address: string; token: string }, parts: RequestParts): string {
  const headers: Readonly<Record<string, string | undefined>> = {
    Host: new URL(service.address).host,
    Authorization: `Bearer ${service.token}`,
    ...(parts.body === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(parts.body)) }),
    ...parts.headers,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return [`${parts.method} ${parts.target} HTTP/1.1`, ...lines, '', parts.body ?? ''].join('\r\n');
}
