import { workspace } from 'vscode';
import { AgentPolicy, type SubmissionRule } from '../../../core/agents/agentPolicy.ts';
import type { Logger } from '../../../core/util/logger.ts';
import type { Disposable } from '../../../core/util/lifetime.ts';
import type { Settings } from '../../editor/settings.ts';

/** Combines the setting with the file that the MCP server and the command line read. The stricter rule applies. */
export class WindowPolicy extends AgentPolicy {
  private readonly settings: Pick<Settings, 'agentSubmission'>;
  private saving: Promise<void> = Promise.resolve();

  /** `folder` is the ledger's folder. */
  constructor(folder: string, settings: Pick<Settings, 'agentSubmission'>) {
    super(folder);
    this.settings = settings;
  }

  override async read(): Promise<SubmissionRule> {
    await this.saving;
    return this.settings.agentSubmission === 'never' ? 'never' : await super.read();
  }

  /**
   * Saves the setting now if it is `never`, and then whenever the user changes it. A `never` that another editor or the
   * user wrote to the file therefore survives the start of a window. Logs a failure.
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
