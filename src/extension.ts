import {
  commands,
  ExtensionMode,
  l10n,
  Uri,
  window,
  workspace,
  type ExtensionContext,
  type WebviewPanel,
} from 'vscode';
import type { Beginning } from './beginning.ts';
import { FirstTransfer } from './core/ledger/firstTransfer.ts';
import { systemClock } from './core/util/clock.ts';
import { Lifetime } from './core/util/lifetime.ts';
import { commandIds, panelTypes } from './host/contributions.ts';
import { SideBar } from './views/sideBar.ts';

/**
 * Sets out what a person can use, and begins when any of it is first used, or as soon as a transfer runs that is to be
 * watched. A start of the editor in which there is nothing to do costs next to nothing. Under test it begins at once,
 * and hands out the parts, to be looked at.
 */
export function activate(context: ExtensionContext): unknown {
  const lifetime = new Lifetime();
  context.subscriptions.push(lifetime);
  const sideBar = lifetime.track(new SideBar(() => begin()));
  let begun: Promise<Beginning> | undefined;
  const begin = async (): Promise<Beginning> => {
    begun ??= import('./beginning.ts')
      .then((beginning) => beginning.begin(context, lifetime, sideBar))
      .catch(sayWhyNot);
    return await begun;
  };
  const beginUnasked = (): void =>
    void begin().catch((error: unknown) => window.showErrorMessage((error as Error).message));
  offer(lifetime, begin);
  lifetime.track(
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('dataTransfer.connections')) beginUnasked();
    }),
  );
  const ledgerFolder = Uri.joinPath(context.globalStorageUri, 'transfers').fsPath;
  void lifetime.track(new FirstTransfer(ledgerFolder, systemClock, beginUnasked)).look();
  return context.extensionMode === ExtensionMode.Test
    ? begin().then(({ parts }) => ({ ...parts, context }))
    : undefined;
}

/**
 * Puts into words that it cannot begin. That is not tried again in this window: some of it may be there already, and
 * what could not be loaded once is never loaded again by Node.
 */
function sayWhyNot(error: unknown): never {
  const why = error instanceof Error ? error.message : String(error);
  throw new Error(l10n.t('Data Transfer could not start: {0}. Reload the window to try again.', why), { cause: error });
}

/** Commands, and pages that were open. */
function offer(lifetime: Lifetime, begin: () => Promise<Beginning>): void {
  for (const id of commandIds) {
    const run = async (...given: unknown[]): Promise<void> => await (await begin()).runCommand(id, ...given);
    lifetime.track(commands.registerCommand(id, run));
  }
  for (const page of ['metadata', 'transfer'] as const) {
    const deserializeWebviewPanel = async (panel: WebviewPanel, state: unknown): Promise<void> =>
      (await begin()).bringBack[page](panel, state);
    lifetime.track(window.registerWebviewPanelSerializer(panelTypes[page], { deserializeWebviewPanel }));
  }
}
