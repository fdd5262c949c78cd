import { commands, ExtensionMode, Uri, window, workspace, type ExtensionContext, type WebviewPanel } from 'vscode';
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
    begun ??= import('./beginning.ts').then((beginning) => beginning.begin(context, lifetime, sideBar));
    return await begun;
  };
  offer(lifetime, begin);
  const ledgerFolder = Uri.joinPath(context.globalStorageUri, 'transfers').fsPath;
  void lifetime.track(new FirstTransfer(ledgerFolder, systemClock, () => void begin())).look();
  return context.extensionMode === ExtensionMode.Test
    ? begin().then(({ parts }) => ({ ...parts, context }))
    : undefined;
}

/** Commands, pages that were open, and settings that may be wrong: the person is told where they are written. */
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
  lifetime.track(
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('dataTransfer.connections')) void begin();
    }),
  );
}
