import { once } from 'node:events';
import * as net from 'node:net';
import type { GivenAnswer } from './openApiCheck.ts';

/** A connection that sends exactly the given bytes and parses the responses. */
export class RawConnection {
  readonly socket: net.Socket;
  /** Number of skipped interim responses. */
  interim = 0;
  private received = Buffer.alloc(0);
  private hasEnded = false;
  private arrived: () => void = () => undefined;

  private constructor(socket: net.Socket) {
    this.socket = socket;
    socket.on('data', (data: Buffer) => {
      this.received = Buffer.concat([this.received, data]);
      this.arrived();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.hasEnded = true;
      this.arrived();
    });
  }

  static async open(address: string, host = '127.0.0.1'): Promise<RawConnection> {
    const socket = net.connect({ port: Number(new URL(address).port), host });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  write(text: string | Buffer): this {
    this.socket.write(text);
    return this;
  }

  /** Returns the next response, skipping interim ones (1xx); undefined if the connection ends without one. */
  async answer(hasBody = true): Promise<GivenAnswer | undefined> {
    for (;;) {
      const answer = this.take(hasBody);
      if (answer !== undefined && answer.status >= 200) return answer;
      if (answer !== undefined) this.interim += 1;
      else if (this.hasEnded) return undefined;
      else await new Promise<void>((resolve) => (this.arrived = resolve));
    }
  }

  /** Returns the response to a HEAD request, which has a Content-Length but no body. Throws if no response arrives. */
  async head(): Promise<GivenAnswer> {
    const answer = await this.answer(false);
    if (answer === undefined) throw new Error('The connection ended without an answer.');
    return answer;
  }

  /** Resolves when the server has closed the connection. */
  async ended(): Promise<void> {
    if (!this.hasEnded) await new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
  }

  end(): void {
    this.socket.destroy();
  }

  private take(hasBody: boolean): GivenAnswer | undefined {
    const end = this.received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [first, ...lines] = this.received.subarray(0, end).toString('latin1').split('\r\n');
    const headers = new Headers(lines.map((line) => line.split(/:\s*/, 2) as [string, string]));
    const start = end + 4;
    const isChunked = headers.get('transfer-encoding') === 'chunked';
    const size = hasBody ? Number(headers.get('content-length') ?? 0) : 0;
    const body = isChunked ? chunkedBody(this.received, start) : wholeBody(this.received, start, size);
    if (body === undefined) return undefined;
    this.received = this.received.subarray(body.end);
    return { status: Number(first?.split(' ')[1]), headers, text: body.bytes.toString('utf8') };
  }
}

interface ReceivedBody {
  readonly bytes: Buffer;
  /** Index of the first byte after the body in the received bytes. */
  readonly end: number;
}

function wholeBody(received: Buffer, start: number, size: number): ReceivedBody | undefined {
  const end = start + size;
  return received.length < end ? undefined : { bytes: received.subarray(start, end), end };
}

/** Returns a chunked body; undefined until the last chunk has arrived. */
function chunkedBody(received: Buffer, start: number): ReceivedBody | undefined {
  const chunks: Buffer[] = [];
  for (let place = start; ;) {
    const lineEnd = received.indexOf('\r\n', place);
    const size = Number.parseInt(received.toString('latin1', place, Math.max(place, lineEnd)), 16);
    const end = lineEnd + 2 + size + 2;
    if (lineEnd < 0 || received.length < end) return undefined;
    if (size === 0) return { bytes: Buffer.concat(chunks), end };
    chunks.push(received.subarray(lineEnd + 2, lineEnd + 2 + size));
    place = end;
  }
}

/** The connections that a test opens to a service. The service's address may change between connections. */
export class RawConnections {
  readonly opened: RawConnection[] = [];
  private readonly address: () => string;

  constructor(address: () => string) {
    this.address = address;
  }

  async open(): Promise<RawConnection> {
    const connection = await RawConnection.open(this.address());
    this.opened.push(connection);
    return connection;
  }

  end(): void {
    for (const connection of this.opened) connection.end();
  }
}

/** Sends a request on a new connection. Returns the first response; undefined if the connection ends without one. */
export async function sendRaw(address: string, text: string | Buffer): Promise<GivenAnswer | undefined> {
  const connection = await RawConnection.open(address);
  try {
    return await connection.write(text).answer();
  } finally {
    connection.end();
  }
}
