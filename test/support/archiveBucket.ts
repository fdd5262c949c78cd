import type { ServerResponse } from 'node:http';
import { OddBucket, respond, type BucketRequest, type OddObject } from './oddBucket.ts';

const storageClass = 'x-amz-storage-class';

/** An S3 server with objects that can't be read before they are restored. */
export class ArchiveBucket extends OddBucket {
  /** Keys of the objects that were restored, in the order of the requests. */
  readonly restored: string[] = [];

  /** Starts a server with objects, by their keys and storage classes. */
  static async startWithClasses(classes: Readonly<Record<string, string>>): Promise<ArchiveBucket> {
    const bucket = new ArchiveBucket({});
    for (const [key, name] of Object.entries(classes))
      bucket.put(key, Buffer.from(key), { headers: { [storageClass]: name } });
    await bucket.listen();
    return bucket;
  }

  protected override findRefusal(key: string, { headers }: OddObject): string | undefined {
    const isArchived = headers[storageClass] !== 'STANDARD' && !this.restored.includes(key);
    return isArchived ? 'InvalidObjectState' : undefined;
  }

  protected override write(request: BucketRequest, response: ServerResponse): void {
    if (!request.query.has('restore')) return super.write(request, response);
    this.restored.push(request.key);
    respond(response, 202, '');
  }
}
