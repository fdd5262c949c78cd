import { posix } from 'node:path';
import { FileSystemError, l10n, type FileStat, type Uri } from 'vscode';
import type { Reason } from '../../../core/model/reason.ts';
import { settlesWithin, systemClock } from '../../../core/util/clock.ts';
import type { Disposable } from '../../../core/util/lifetime.ts';
import { CommandFailure, showFailure } from '../../editor/commandBoundary.ts';
import { localConnectionId } from '../../editor/machine.ts';
import type { RemoteFileReader } from '../../editor/remoteFileProvider.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeReason } from '../../words/reasonWords.ts';
import { openInBackground, requireKnownConnection } from '../connections/connectionOpener.ts';
import { reopenIfLast } from '../connections/connectionPicker.ts';
import { waitWhileConnecting } from '../connections/connectionSync.ts';
import type { CommandServices } from '../services.ts';

/** Maximum time in milliseconds to wait for a connection, which includes the start of the local service. */
const maxConnectMs = 15_000;

/**
 * Reads files for the editor. Opens their connections first, because their tabs return after a reload. Shows why a file
 * can't be read, because the editor doesn't.
 */
export class TabFiles implements RemoteFileReader, Disposable {
  private readonly services: CommandServices;
  /** The running attempts by connection ID, which several tabs share. They resolve to the reason for a failure. */
  private readonly attempts = new Map<string, Promise<Reason | undefined>>();
  /** The IDs of connections that were open in this window. They aren't opened again, so that a disconnect lasts. */
  private readonly openedIds = new Set<string>();
  private readonly subscription: Disposable;

  constructor(services: CommandServices) {
    this.services = services;
    const { sessions } = services;
    this.subscription = sessions.onDidChange(() => this.recordOpen());
    this.recordOpen();
  }

  dispose(): void {
    this.subscription.dispose();
  }

  async stat(uri: Uri): Promise<FileStat> {
    return await this.readConnected(uri, () => this.services.remoteFiles.stat(uri));
  }

  async readFile(uri: Uri): Promise<Uint8Array> {
    return await this.readConnected(uri, () => this.services.remoteFiles.readFile(uri));
  }

  private async readConnected<T>(uri: Uri, read: () => Promise<T>): Promise<T> {
    try {
      await this.connect(this.services.remoteFiles.getReference(uri).connectionId);
      return await read();
    } catch (error) {
      // The editor shows that a file doesn't exist.
      if (error instanceof FileSystemError && error.code !== FileSystemError.Unavailable().code) throw error;
      const failure = error instanceof FileSystemError ? createFailure(uri, error) : error;
      showFailure(this.services, remoteRead, failure);
      throw FileSystemError.Unavailable((failure as Error).message);
    }
  }

  private async connect(id: string): Promise<void> {
    const { sessions } = this.services;
    if (sessions.get(id)) return;
    requireKnownConnection(this.services, id);
    const attempt = this.attempts.get(id) ?? this.attempt(id).finally(() => this.attempts.delete(id));
    this.attempts.set(id, attempt);
    const isSettled = await settlesWithin(systemClock, maxConnectMs, attempt);
    const reason = isSettled ? await attempt : this.findShownFailure(id);
    if (!sessions.get(id)) throw FileSystemError.Unavailable(describeReason(reason ?? { kind: 'timeout' }));
  }

  private recordOpen(): void {
    for (const { connection } of this.services.sessions.getAll()) this.openedIds.add(connection.id);
  }

  private async attempt(id: string): Promise<Reason | undefined> {
    const { localService, sessions } = this.services;
    if (this.openedIds.has(id))
      return { kind: id === localConnectionId && !localService.isRunning ? 'serviceStopped' : 'notConnected' };
    await reopenIfLast(this.services, id);
    await waitWhileConnecting(this.services, id);
    return sessions.get(id) ? undefined : await openInBackground(this.services, id);
  }

  private findShownFailure(id: string): Reason | undefined {
    const { state } = this.services.connectionStore;
    return state.kind === 'failed' && state.connection.id === id ? state.reason : undefined;
  }
}

/** Identifies the reading of a file in the log. */
const remoteRead = 'file';

function createFailure({ path }: Uri, { message }: Error): CommandFailure {
  return new CommandFailure(l10n.t("{0} can't be opened: {1}", toPlainLine(posix.basename(path)), message));
}
