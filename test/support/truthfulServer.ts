import { randomUUID } from 'node:crypto';
import type { Clock } from '../../src/core/util/clock.ts';
import { json, problem, type Behavior } from './faultBehaviors.ts';
import { FaultServer } from './faultServer.ts';
import { Gate } from './gate.ts';

/** A transfer on the server, with its creation time in milliseconds by the server's clock. */
export interface TrueTransfer {
  readonly id: string;
  readonly createdAt: number;
  /** All states of the transfer so far; the last one is current. */
  readonly words: string[];
}

/**
 * A status request. `at` is its arrival time in milliseconds by the server's clock; `isAccepted` is true if its key was
 * accepted.
 */
export interface Poll {
  readonly id: string;
  readonly at: number;
  readonly isAccepted: boolean;
}

/**
 * A server that accepts transfers and records all submissions and polls. Tests use its records as the source of truth.
 */
export class TruthfulServer {
  readonly http: FaultServer;
  key = 'the-key';
  /** Number of submission attempts, including rejected ones. */
  submissions = 0;
  readonly transfers: TrueTransfer[] = [];
  readonly polls: Poll[] = [];
  /** Maximum number of concurrent status requests so far. */
  maxConcurrentCount = 0;
  /** Delays the responses to submissions. Their transfers are recorded before the delay. */
  readonly submissionGate = new Gate();
  /** Delays the responses to status requests. */
  readonly statusGate = new Gate();
  private readonly clock: Clock;
  private concurrentCount = 0;

  private constructor(http: FaultServer, clock: Clock) {
    this.http = http;
    this.clock = clock;
    http.on('GET /', json({ name: 'Test service', version: '1.2.3' }));
    http.on('GET /api/v1/databases', this.guarded(json(databases)));
    http.on('POST /api/v1/transfers', this.counting(this.guarded(this.answerSubmission())));
    http.on('GET /api/v1/transfers/*', this.answerStatus());
  }

  static async start(clock: Clock): Promise<TruthfulServer> {
    return new TruthfulServer(await FaultServer.start(), clock);
  }

  /** Sets the state of all transfers. */
  setStatus(word: string): void {
    for (const { words } of this.transfers) words.push(word);
  }

  private counting(then: Behavior): Behavior {
    return async (request, response) => {
      this.submissions += 1;
      await then(request, response);
    };
  }

  private guarded(then: Behavior): Behavior {
    return async (request, response) => {
      const isAccepted = this.isAccepted(request.headers.authorization);
      await (isAccepted ? then : problem(401, 'This key is not accepted'))(request, response);
    };
  }

  private isAccepted(authorization: string | undefined): boolean {
    return authorization === `Bearer ${Buffer.from(this.key).toString('base64')}`;
  }

  private answerSubmission(): Behavior {
    return async (request, response) => {
      const id = randomUUID();
      this.transfers.push({ id, createdAt: this.clock.now(), words: ['staging'] });
      await this.submissionGate.pass();
      await json({ id }, 201)(request, response);
    };
  }

  /**
   * Responds with a different count each time, so that the polling interval depends only on the transfer's age (D33:
   * polling intervals).
   */
  private answerStatus(): Behavior {
    return async (request, response) => {
      const id = request.path.split('/').at(-1) ?? '';
      const at = this.clock.now();
      const isAccepted = this.isAccepted(request.headers.authorization);
      this.polls.push({ id, at, isAccepted });
      this.concurrentCount += 1;
      this.maxConcurrentCount = Math.max(this.maxConcurrentCount, this.concurrentCount);
      response.once('close', () => (this.concurrentCount -= 1));
      await this.statusGate.pass();
      const transfer = this.transfers.find((one) => one.id === id);
      const moved = this.polls.length % 2;
      const status = { id, status: transfer?.words.at(-1), num_files: 1, num_files_transferred: moved };
      const answer = transfer ? json(status) : problem(404, 'There is no such transfer');
      await (isAccepted ? answer : problem(401, 'This key is not accepted'))(request, response);
    };
  }
}

const databases = ['Alpha', 'Beta'].map((name) => ({ id: name.toLowerCase(), name, organization: 'One', url: '' }));
