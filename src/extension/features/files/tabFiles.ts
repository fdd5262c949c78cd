import { posix } from 'node:path';
import { FileSystemError, l10n, type FileStat, type Uri } from 'vscode';
import type { Reason } from '../../../core/model/reason.ts';
import { settlesWithin, systemClock } from '../../../core/util/clock.ts';
import type { Disposable } from '../../../core/util/lifetime.ts';
import { CommandFailure, createCommandAction, showFailure } from '../../editor/commandBoundary.ts';
import { localConnectionId } from '../../editor/machine.ts';
import { createRemedyActions } from '../../editor/nextSteps.ts';
import type { NotificationAction } from '../../editor/notifications.ts';
import type { RemoteFileReader } from '../../editor/remoteFileProvider.ts';
import { toPlainLine } from '../../words/plainText.ts';
import { describeReason, isKeyMissing } from '../../words/reasonWords.ts';
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
  /** The latest failures of attempts by connection ID, which are tried again. */
  private readonly failures = new Map<string, Reason>();
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
      await this.connect(uri, this.services.remoteFiles.getReference(uri).connectionId);
      return await read();
    } catch (error) {
      // The editor shows that a file doesn't exist.
      if (error instanceof FileSystemError && error.code !== FileSystemError.Unavailable().code) throw error;
      const failure = error instanceof FileSystemError ? createFailure(uri, error.message) : error;
      showFailure(this.services, remoteRead, failure);
      throw FileSystemError.Unavailable((failure as Error).message);
    }
  }

  private async connect(uri: Uri, id: string): Promise<void> {
    const { sessions } = this.services;
    if (sessions.get(id)) return;
    requireKnownConnection(this.services, id);
    const attempt = this.attempts.get(id) ?? this.attempt(id).finally(() => this.attempts.delete(id));
    this.attempts.set(id, attempt);
    const isSettled = await settlesWithin(systemClock, maxConnectMs, attempt);
    const reason = isSettled ? ((await attempt) ?? { kind: 'notConnected' }) : this.findLatestFailure(id);
    if (!sessions.get(id)) throw createFailure(uri, describeReason(reason), ...createKeyActions(reason, id));
  }

  private recordOpen(): void {
    for (const { connection } of this.services.sessions.getAll()) this.openedIds.add(connection.id);
  }

  private async attempt(id: string): Promise<Reason | undefined> {
    this.failures.delete(id);
    if (this.openedIds.has(id)) return this.describeClosed(id);
    const isLast = await reopenIfLast(this.services, id);
    await waitWhileConnecting(this.services, id);
    if (this.services.sessions.get(id)) return undefined;
    if (isLast && this.isClosedByUser(id)) return this.describeClosed(id);
    return await openInBackground(this.services, id, (reason) => this.failures.set(id, reason));
  }

  private isClosedByUser(id: string): boolean {
    const { state, shown } = this.services.connectionStore;
    return state.kind === 'disconnected' || (state.kind === 'stopped' && shown?.id === id);
  }

  private describeClosed(id: string): Reason {
    const isStopped = id === localConnectionId && !this.services.localService.isRunning;
    return { kind: isStopped ? 'serviceStopped' : 'notConnected' };
  }

  private findLatestFailure(id: string): Reason {
    const { state } = this.services.connectionStore;
    const shown = state.kind === 'failed' && state.connection.id === id ? state.reason : undefined;
    return this.failures.get(id) ?? shown ?? { kind: 'timeout' };
  }
}

/** Identifies the reading of a file in the log. */
const remoteRead = 'file';

function createFailure({ path }: Uri, message: string, ...actions: readonly NotificationAction[]): CommandFailure {
  const text = l10n.t("{0} can't be opened: {1}", toPlainLine(posix.basename(path)), message);
  return new CommandFailure(text, ...actions);
}

function createKeyActions(reason: Reason, id: string): readonly NotificationAction[] {
  if (!isKeyMissing(reason)) return createRemedyActions(reason, id);
  return [createCommandAction('dataTransfer.setApiKey', { kind: 'connection', id })];
}
