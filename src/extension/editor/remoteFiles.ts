import { FilePermission, FileSystemError, FileType, l10n, Uri, type FileStat } from 'vscode';
import type { ContentFlow } from '../../core/search/contentFlow.ts';
import type { FileReference } from '../../core/model/fileEntry.ts';
import { maxContentBytes } from '../../core/util/fileContent.ts';
import { parseJsonObject } from '../../core/util/json.ts';
import { describeReason } from '../words/reasonWords.ts';
import { remoteFileScheme, type RemoteFileReader } from './remoteFileProvider.ts';

/** Size up to which a file is opened without a question. */
export const maxUnaskedBytes = 10 * 1024 * 1024;

/** Maximum size of a file that can be opened, because the editor keeps it in memory. */
export const maxOpenBytes = 256 * 1024 * 1024;

/**
 * Reads files of databases for the editor without a transfer, if their connections are open. The message of an error
 * with the code `Unavailable` is the second half of a sentence, without a period.
 */
export class RemoteFiles implements RemoteFileReader {
  private readonly flow: ContentFlow;
  /** The URIs of the large files that the user wants to open. */
  private readonly allowed = new Set<string>();

  constructor(flow: ContentFlow) {
    this.flow = flow;
  }

  /** Returns the URI with which the editor opens a file. `path` is shown; it needn't be unique. */
  getUri({ connectionId, database, id }: FileReference, path: string): Uri {
    const query = JSON.stringify({ connectionId, database, id, path });
    return Uri.from({ scheme: remoteFileScheme, path: `/${database.replaceAll('/', '_')}/${path}`, query });
  }

  /** Allows a file larger than {@link maxUnaskedBytes} to be read. */
  allowLarge(uri: Uri): void {
    this.allowed.add(uri.toString());
  }

  async stat(uri: Uri): Promise<FileStat> {
    const { totalBytes: size, modifiedMs: mtime = 0 } = await this.read(uri, { offset: 0, limit: 1 });
    return { type: FileType.File, ctime: mtime, mtime, size, permissions: FilePermission.Readonly };
  }

  async readFile(uri: Uri): Promise<Uint8Array> {
    const { bytes, totalBytes, entityTag } = await this.read(uri, { offset: 0, limit: maxContentBytes });
    if (totalBytes > (this.allowed.has(uri.toString()) ? maxOpenBytes : maxUnaskedBytes))
      throw FileSystemError.Unavailable(l10n.t('it is large; open it again from its row'));
    if (bytes.length >= totalBytes) return bytes;
    // In one buffer, because the editor keeps a copy too.
    const content = new Uint8Array(totalBytes);
    content.set(bytes);
    for (let offset = bytes.length; offset < totalBytes;) {
      const limit = Math.min(maxContentBytes, totalBytes - offset);
      const next = (await this.read(uri, { offset, limit, entityTag })).bytes;
      if (next.length === 0) return content.subarray(0, offset);
      content.set(next, offset);
      offset += next.length;
    }
    return content;
  }

  /** Returns the file with this URI. Throws an error if {@link getUri} didn't return it. */
  getReference(uri: Uri): FileReference {
    const { connectionId, database, id, path } = parseJsonObject(uri.query) ?? {};
    if (typeof connectionId !== 'string' || typeof database !== 'string' || typeof id !== 'string')
      throw FileSystemError.FileNotFound(uri);
    const file = { connectionId, database, id };
    // The editor derives URIs of other files and folders from this one, which keep its query.
    if (typeof path !== 'string' || uri.path !== this.getUri(file, path).path) throw FileSystemError.FileNotFound(uri);
    return file;
  }

  private async read(uri: Uri, range: Parameters<ContentFlow['read']>[1]) {
    const { part, reason } = await this.flow.read(this.getReference(uri), range);
    if (part) return part;
    throw reason.kind === 'notFound'
      ? FileSystemError.FileNotFound(uri)
      : FileSystemError.Unavailable(describeReason(reason));
  }
}
