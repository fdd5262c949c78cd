import { commands, ExtensionMode, l10n, window, workspace, type ExtensionContext, type WebviewPanel } from 'vscode';
import type { RunningExtension } from './startup.ts';
import { FirstPlanWatch } from '../core/transfers/planFiles.ts';
import { FirstTransferWatch } from '../core/transfers/recordFolders.ts';
import { systemClock } from '../core/util/clock.ts';
import { Lifetime } from '../core/util/lifetime.ts';
import { panelTypes, type CommandId } from './editor/contributions.ts';
import { openLedgerLocation } from './editor/ledgerLocation.ts';
import { registerLanguageModelTools } from './editor/languageModelTools.ts';
import { RecipeFiles } from './editor/recipeFiles.ts';
import { RemoteFileProvider } from './editor/remoteFileProvider.ts';
import { SideBar } from './views/sideBar.ts';
import { describeToolCall } from './words/commandTitles.ts';

let running: Promise<RunningExtension> | undefined;

/**
 * Registers commands, views, pages, tools, the link handler and the provider of files. To keep activation cheap, the
 * extension starts only when one of them is first used, when the connections setting changes, or when there is an open
 * recipe, a running transfer or a transfer proposed by an agent. In tests, starts the extension immediately and resolves
 * to its services.
 */
export function activate(context: ExtensionContext): unknown {
  const lifetime = new Lifetime();
  context.subscriptions.push(lifetime);
  const sideBar = lifetime.track(new SideBar(() => start()));
  const recipeFiles = lifetime.track(new RecipeFiles());
  const ledger = openLedgerLocation(context.globalStorageUri.fsPath);
  const start = async (): Promise<RunningExtension> => {
    running ??= import('./startup.ts')
      .then(({ startExtension }) => startExtension(context, lifetime, { sideBar, recipeFiles, ledger }))
      .catch(reportStartFailure);
    return await running;
  };
  const startInBackground = (): void =>
    void start().catch((error: unknown) => window.showErrorMessage((error as Error).message));
  registerContributions(context, lifetime, start);
  registerTools(context, lifetime, start);
  lifetime.track(new RemoteFileProvider(start));
  lifetime.track(recipeFiles.onDidOpen(startInBackground));
  lifetime.track(
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('dataTransfer.connections')) startInBackground();
    }),
  );
  void ledger.then(({ folder }) => {
    for (const Watch of [FirstTransferWatch, FirstPlanWatch])
      void lifetime.track(new Watch(folder, systemClock, startInBackground)).start();
  });
  return context.extensionMode === ExtensionMode.Test
    ? start().then(({ services, openLink }) => ({ ...services, openLink, context, sideBar }))
    : undefined;
}

/** Saves the latest changes to the searches. VS Code waits a few seconds for this when a window closes or reloads. */
export async function deactivate(): Promise<void> {
  const started = await running?.catch(() => undefined);
  await started?.saveSearches();
}

/** Throws an error for the user. Node.js never reloads a module that failed, so this window doesn't retry. */
function reportStartFailure(error: unknown): never {
  const cause = error instanceof Error ? error.message : String(error);
  const message = l10n.t('Data Transfer could not start: {0}. Reload the window to try again.', cause);
  throw new Error(message, { cause: error });
}

/** Registers the tools for agents. The extension starts when an agent calls one of them. */
function registerTools(
  { extension }: ExtensionContext,
  lifetime: Lifetime,
  start: () => Promise<RunningExtension>,
): void {
  const tools = registerLanguageModelTools(extension.packageJSON, {
    call: async (call) => await (await start()).callTool(call),
    describe: describeToolCall,
  });
  for (const tool of tools) lifetime.track(tool);
}

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: CommandId }[] };
}

/** Registers the commands of the manifest, the link handler, and the pages that are restored after a reload. */
function registerContributions(
  { extension }: ExtensionContext,
  lifetime: Lifetime,
  start: () => Promise<RunningExtension>,
): void {
  for (const { command: id } of (extension.packageJSON as Manifest).contributes.commands) {
    const run = async (...given: unknown[]): Promise<void> => await (await start()).runCommand(id, ...given);
    lifetime.track(commands.registerCommand(id, run));
  }
  lifetime.track(window.registerUriHandler({ handleUri: async (uri) => await (await start()).openLink(uri) }));
  for (const page of Object.keys(panelTypes) as (keyof typeof panelTypes)[]) {
    const deserializeWebviewPanel = async (panel: WebviewPanel, state: unknown): Promise<void> =>
      (await start()).restorePage[page](panel, state);
    lifetime.track(window.registerWebviewPanelSerializer(panelTypes[page], { deserializeWebviewPanel }));
  }
}
