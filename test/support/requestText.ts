/** Parts of a request as they go over the wire; a header that is undefined is left out. */
export interface RequestParts {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** A request as the bytes of HTTP/1.1, with the headers that every request of a program has unless they are given. */
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
