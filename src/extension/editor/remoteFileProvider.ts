import { EventEmitter, FileSystemError, workspace, type FileStat, type FileSystemProvider, type Uri } from 'vscode';
import { Lifetime, type Disposable } from '../../core/util/lifetime.ts';

/**
 * The scheme of files of databases. Differs from that of {@link Documents}: the editor would otherwise look for their
 * texts here. The manifest has an activation event for it.
 */
export const remoteFileScheme = 'data-transfer-file';

/** Reads the files of databases for the editor. */
export interface RemoteFileReader {
  stat(uri: Uri): Promise<FileStat>;
  readFile(uri: Uri): Promise<Uint8Array>;
}

/**
 * Lets the editor read files of databases, which can't be changed. Registered at activation, and calls `start` when the
 * first one is read, because the tab of a file returns after a reload.
 */
export class RemoteFileProvider implements FileSystemProvider, Disposable {
  private readonly lifetime = new Lifetime();
  private readonly start: () => Promise<{ readonly remoteFileReader: RemoteFileReader }>;
  /** Never fires: the service doesn't report changes. */
  readonly onDidChangeFile = this.lifetime.track(new EventEmitter<never>()).event;

  constructor(start: () => Promise<{ readonly remoteFileReader: RemoteFileReader }>) {
    this.start = start;
    const options = { isReadonly: true, isCaseSensitive: true };
    this.lifetime.track(workspace.registerFileSystemProvider(remoteFileScheme, this, options));
  }

  async stat(uri: Uri): Promise<FileStat> {
    return await (await this.start()).remoteFileReader.stat(uri);
  }

  async readFile(uri: Uri): Promise<Uint8Array> {
    return await (await this.start()).remoteFileReader.readFile(uri);
  }

  watch(): Disposable {
    return { dispose: () => undefined };
  }

  readonly readDirectory = refuseAccess;
  readonly createDirectory = refuseAccess;
  readonly writeFile = refuseAccess;
  readonly delete = refuseAccess;
  readonly rename = refuseAccess;

  dispose(): void {
    this.lifetime.dispose();
  }
}

function refuseAccess(uri: Uri): never {
  throw FileSystemError.NoPermissions(uri);
}
