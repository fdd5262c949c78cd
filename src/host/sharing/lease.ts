import type { ClientRequest, IncomingMessage } from 'node:http';
import { createInterface, type Interface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Emitter } from '../../core/util/emitter.ts';
import { isJsonObject } from '../../core/util/json.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import type { ServedFolder } from '../settings.ts';
import { responseTo, ServiceLink } from './serviceLink.ts';
import type { SharedServiceAccess } from './serviceRecord.ts';

/** How a lease ended: the service was stopped, another one takes its place, or the connection was lost without a word. */
export type LeaseEnd = 'stopped' | 'replaced' | 'lost';

/** The service does not serve one of the folders; the message names it and says why. */
class LeaseRefused extends Error {
  override readonly name = 'LeaseRefused';
}

const beginLimitMs = 30_000;

/** A window's share in the service: a connection that is held, and lasts exactly as long (D29). */
export class Lease implements Disposable {
  /** Resolves when it has ended, also by {@link dispose}. */
  readonly ended: Promise<LeaseEnd>;
  private readonly sent: ClientRequest;
  private readonly changed = new Emitter<void>();
  private lastWord: LeaseEnd = 'lost';

  /** Fires when the list of the service's databases is not as it was. */
  readonly onDidChangeDatabases = this.changed.event;

  private constructor(sent: ClientRequest, response: IncomingMessage, lines: Interface) {
    this.sent = sent;
    lines.on('line', (line) => this.read(line));
    this.ended = new Promise((resolve) => response.once('close', () => resolve(this.lastWord)));
  }

  /** Resolves when the folders are served. Rejects with {@link LeaseRefused}, or when the service cannot be reached. */
  static async begin(access: SharedServiceAccess, databases: readonly ServedFolder[]): Promise<Lease> {
    const sent = new ServiceLink(access).requestLease(databases);
    const limit = setTimeout(() => sent.destroy(new Error('The local service does not answer')), beginLimitMs);
    try {
      const response = await responseTo(sent);
      if (response.statusCode !== 200) throw await refusal(response, databases);
      const lines = createInterface({ input: response });
      const lease = new Lease(sent, response, lines);
      await firstLine(response, lines);
      return lease;
    } finally {
      clearTimeout(limit);
    }
  }

  dispose(): void {
    this.changed.dispose();
    this.sent.destroy();
  }

  private read(line: string): void {
    const event = eventOf(line);
    if (event === 'stopped' || event === 'replaced') this.lastWord = event;
    else if (event === 'databases') this.changed.fire();
  }
}

/** A line that was cut off with the connection says nothing. */
function eventOf(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value['event'] : undefined;
  } catch {
    return undefined;
  }
}

/** The errors of a connection that is lost are told by its end. */
async function firstLine(response: IncomingMessage, lines: Interface): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const lost = (): void => reject(new Error('The local service has just ended'));
    for (const end of [response, lines]) end.on('error', lost);
    response.once('close', lost);
    lines.once('line', () => resolve());
  });
}

/** What a problem document says, with the name of the folder that it is about. */
async function refusal(response: IncomingMessage, databases: readonly ServedFolder[]): Promise<LeaseRefused> {
  const value: unknown = JSON.parse(await text(response));
  const { detail, errors } = isJsonObject(value) ? value : {};
  const lines = (Array.isArray(errors) ? errors : []).filter(isJsonObject).map(({ location, message }) => {
    const [, place] = /^body\.databases\.(\d+)/.exec(String(location)) ?? [];
    const database = databases[Number(place)];
    const what = String(message).replace(/^databases\.\d+\./, '');
    return database ? `${database.name} (${database.folder}): ${what}` : String(message);
  });
  const why = typeof detail === 'string' ? detail : `The local service answered ${response.statusCode}`;
  return new LeaseRefused(lines.join('; ') || why);
}
