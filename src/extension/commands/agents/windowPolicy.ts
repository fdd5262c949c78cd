import { workspace } from 'vscode';
import { AgentPolicy, type SubmissionRule } from '../../../core/agents/agentPolicy.ts';
import type { Logger } from '../../../core/util/logger.ts';
import type { Disposable } from '../../../core/util/lifetime.ts';
import type { Settings } from '../../editor/settings.ts';

/** Follows the setting, and copies it to the file that the MCP server and the command line read. */
export class WindowPolicy extends AgentPolicy {
  private readonly settings: Settings;

  /** `folder` is the ledger's folder. */
  constructor(folder: string, settings: Settings) {
    super(folder);
    this.settings = settings;
  }

  override async read(): Promise<SubmissionRule> {
    return await Promise.resolve(this.settings.agentSubmission);
  }

  /** Copies the setting now, and whenever it changes. Logs a failure. */
  follow(log: Logger): Disposable {
    const report = (error: unknown): void => log.error(`The setting for agents could not be saved: ${String(error)}`);
    const copy = (): void => void this.copy().catch(report);
    copy();
    return workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('dataTransfer.agents')) copy();
    });
  }

  private async copy(): Promise<void> {
    const rule = await this.read();
    if ((await super.read()) !== rule) await this.write(rule);
  }
}
