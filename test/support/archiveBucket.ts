import type { ServerResponse } from 'node:http';
import { describeError, OddBucket, respond, type BucketRequest, type OddObject } from './oddBucket.ts';

const storageClass = 'x-amz-storage-class';

/** A response to a restore request; `code` is the S3 error code, which is empty if the request was accepted. */
interface RestoreResponse {
  readonly status: number;
  readonly code: string;
}

/** An S3 server with objects that must be restored before they can be read. */
export class ArchiveBucket extends OddBucket {
  /** Keys of the restored objects, in the order of the requests. */
  readonly restored: string[] = [];
  /** The restore requests as key, days and tier: `runs/run-1.bam 7 Bulk`. */
  readonly restoreRequests: string[] = [];
  /** True to delay restores until {@link finishRestores} is called, like an archive that takes hours. */
  isSlow = false;
  /** The error response to all restore requests; undefined to accept them. */
  restoreRefusal: RestoreResponse | undefined;
  /** True to leave restore requests without a response. */
  isSilent = false;
  /** Keys of the objects whose reads are refused. */
  readonly denied = new Set<string>();
  /** Number of refused reads of archived objects. */
  refusedReads = 0;
  private readonly restoring = new Set<string>();

  /** Starts a server with an object for each key in `classes`, in that storage class. Its content is its key. */
  static async startWithClasses(classes: Readonly<Record<string, string>>): Promise<ArchiveBucket> {
    const bucket = new ArchiveBucket({});
    for (const [key, name] of Object.entries(classes)) bucket.add(key, name);
    await bucket.listen();
    return bucket;
  }

  /** Stores an object in a storage class. Its content is its key. */
  add(key: string, name: string): void {
    this.put(key, Buffer.from(key), { headers: { [storageClass]: name } });
  }

  /** Completes all pending restores. */
  finishRestores(): void {
    this.restored.push(...this.restoring);
    this.restoring.clear();
  }

  /** Archives all restored objects again, as a store does after the requested number of days. */
  expireRestores(): void {
    this.restored.length = 0;
  }

  protected override findRefusal(key: string, { headers }: OddObject): string | undefined {
    if (this.denied.has(key)) return 'AccessDenied';
    if (headers[storageClass] === 'STANDARD' || this.restored.includes(key)) return undefined;
    this.refusedReads += 1;
    return 'InvalidObjectState';
  }

  protected override write(request: BucketRequest, response: ServerResponse): void {
    if (!request.query.has('restore')) return super.write(request, response);
    const [days, tier] = ['Days', 'Tier'].map((name) => request.body.toString().split(`<${name}>`)[1]?.split('<')[0]);
    this.restoreRequests.push(`${request.key} ${days} ${tier}`);
    if (this.isSilent) return;
    const { status, code } = this.restoreRefusal ?? this.restore(request.key);
    respond(response, status, code === '' ? '' : describeError(code));
  }

  private restore(key: string): RestoreResponse {
    if (this.restoring.has(key)) return { status: 409, code: 'RestoreAlreadyInProgress' };
    this.restoring.add(key);
    if (!this.isSlow) this.finishRestores();
    return { status: 202, code: '' };
  }
}
