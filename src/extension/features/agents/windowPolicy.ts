import { workspace } from 'vscode';
import { AgentPolicy, type SubmissionRule } from '../../../core/agents/agentPolicy.ts';
import type { Logger } from '../../../core/util/logger.ts';
import type { Disposable } from '../../../core/util/lifetime.ts';
import type { Settings } from '../../editor/settings.ts';

/** Combines the setting for agents with the file of MCP server and command line. The stricter rule applies. */
export class WindowPolicy extends AgentPolicy {
  private readonly settings: Pick<Settings, 'agentSubmission'>;
  private saving: Promise<void> = Promise.resolve();

  /** Creates the policy. `folder` is the ledger's folder. */
  constructor(folder: string, settings: Pick<Settings, 'agentSubmission'>) {
    super(folder);
    this.settings = settings;
  }

  override async read(): Promise<SubmissionRule> {
    await this.saving;
    return this.settings.agentSubmission === 'never' ? 'never' : await super.read();
  }

  /**
   * Saves the setting to the file whenever the user changes it. On startup, saves it only if it is `never`, so that
   * opening a window doesn't overwrite a `never` that the user or another editor wrote to the file. Logs failures.
   */
  follow(log: Logger): Disposable {
    if (this.settings.agentSubmission === 'never') this.queueSave(log);
    return workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('dataTransfer.agents')) this.queueSave(log);
    });
  }

  private queueSave(log: Logger): void {
    const report = (error: unknown): void => log.error(`The setting for agents could not be saved: ${String(error)}`);
    this.saving = this.saving.then(() => this.save()).catch(report);
  }

  private async save(): Promise<void> {
    const rule = this.settings.agentSubmission;
    if ((await super.read()) !== rule) await this.write(rule);
  }
}
