import { basename, dirname, join } from 'node:path';
import { env, l10n, Uri, type WebviewPanel } from 'vscode';
import { TableRows } from '../../../core/search/tableRows.ts';
import { Emitter, Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import type { Logger } from '../../../core/util/logger.ts';
import type { ReportRow } from '../../../core/verification/reportRows.ts';
import type { TableFacts, TablePageState } from '../../../webviews/messages/tableMessages.ts';
import { showFailure, type runCommand } from '../../editor/commandBoundary.ts';
import { saveResult } from '../../editor/fileDialogs.ts';
import type { Notifications } from '../../editor/notifications.ts';
import { getReportId, type StoredReport, type VerificationHistory } from '../../editor/stateFiles.ts';
import { getCommandTitle } from '../../words/commandTitles.ts';
import { createSaveButton, describeHiddenRows, getProblemsLabel, getRowFilterLabel } from '../../words/tableWords.ts';
import {
  createReportColumns,
  describeLongReport,
  describeLostReport,
  describeOmittedFiles,
} from '../../words/verificationWords.ts';
import { TablePages, type TableAction, type TableSource } from '../search/gridPanel.ts';

/** The objects and functions that the reports use. */
interface ReportServices {
  readonly extensionUri: Uri;
  readonly log: Logger;
  readonly notifications: Notifications;
  readonly history: VerificationHistory;
  readonly run: typeof runCommand;
}

interface PlacedRow extends ReportRow {
  readonly position: number;
}

/** A report on a verification: its problems first, then the verified files. */
class ReportSource implements TableSource<PlacedRow> {
  readonly rows: TableRows<PlacedRow>;
  /** The key of the verified transfer, or the report's ID, also if the report is no longer stored. */
  readonly key: string | undefined;
  private readonly services: ReportServices;
  private readonly changed = new Emitter<void>();
  private report: StoredReport | undefined;
  private areRowsTaken = false;

  readonly onDidChange = this.changed.event;

  /** `report` is undefined if it is no longer stored. */
  constructor(services: ReportServices, key: string | undefined, report: StoredReport | undefined) {
    this.services = services;
    this.key = key;
    this.report = report;
    const getText = ({ subject, detail = '' }: ReportRow): string => `${subject} ${detail}`;
    this.rows = new TableRows<PlacedRow>(createReportColumns(), getText, env.language);
  }

  dispose(): void {
    this.changed.dispose();
  }

  /** Shows another report instead, such as a newer one on the same transfer. */
  replace(report: StoredReport): void {
    this.report = report;
    this.areRowsTaken = false;
    this.changed.fire();
  }

  takeRows(): readonly PlacedRow[] {
    if (this.areRowsTaken) return [];
    this.areRowsTaken = true;
    this.rows.clear();
    return (this.report?.table?.rows ?? []).map((row, position) => ({ ...row, position }));
  }

  loadRest(): void {
    // A report has all of its rows.
  }

  getKey({ position }: PlacedRow): string {
    return String(position);
  }

  isChecked(): undefined {
    return undefined;
  }

  isWanted({ state }: PlacedRow): boolean {
    return state !== 'intact';
  }

  describe({ filter }: TablePageState): TableFacts {
    const { report, rows } = this;
    const title = report?.table?.title ?? l10n.t('Verification report');
    return {
      title,
      hasChecks: false,
      unit: 'row',
      filterLabel: getRowFilterLabel(),
      toggleLabel: getProblemsLabel(),
      emptyText: describeHiddenRows(rows.count, filter),
      remarks: this.listRemarks(),
      isLoading: false,
      mayHaveMore: false,
      canRetry: false,
      barText: report?.table?.subject ?? '',
      barLabel: title,
      buttons: report?.table ? this.listButtons(report) : [],
    };
  }

  private listRemarks(): TableFacts['remarks'] {
    const { table } = this.report ?? {};
    if (!table) return [{ kind: 'error', text: this.report ? describeLongReport() : describeLostReport() }];
    const { summary, isVerified, omittedCount } = table;
    return [
      { kind: isVerified ? 'info' : 'warning', text: summary },
      ...(omittedCount === 0 ? [] : [{ kind: 'info' as const, text: describeOmittedFiles(omittedCount) }]),
    ];
  }

  private listButtons({ resend }: StoredReport): TableFacts['buttons'] {
    const label = getCommandTitle('dataTransfer.resendFiles');
    return [...(resend.length > 0 ? [{ type: 'resend' as const, label, isPrimary: true }] : []), createSaveButton()];
  }

  check(): void {
    // The rows have no check boxes.
  }

  open(): void {
    // The files may be on another machine.
  }

  run(action: TableAction): void {
    const { key } = this;
    if (action === 'resend' && key !== undefined)
      this.services.run('dataTransfer.resendFiles', { kind: 'transfer', key });
    else if (action === 'save') void this.save().catch((error: unknown) => showFailure(this.services, 'save', error));
  }

  private async save(): Promise<void> {
    const { text, table } = this.report ?? {};
    if (text === undefined || !table) return;
    await saveResult(this.services.notifications, {
      title: l10n.t('Save Report'),
      suggested: suggestFile(table.manifest),
      kinds: { [l10n.t('Text')]: ['txt'] },
      savedText: l10n.t('Saved the report.'),
      format: () => [text],
    });
  }
}

function suggestFile(manifest: string): Uri {
  const folder = dirname(manifest);
  // A file in the folder itself would be one that the manifest doesn't list.
  return Uri.file(join(dirname(folder), `${basename(folder)}-verification.txt`));
}

/** Manages the open reports on verifications, at most one of each transfer. */
export class VerificationPanels implements Disposable {
  private readonly lifetime = new Lifetime();
  private readonly services: ReportServices;
  private readonly pages: TablePages<PlacedRow, ReportSource>;
  private lastAction = Promise.resolve();

  constructor(services: ReportServices) {
    this.services = services;
    this.pages = this.lifetime.track(new TablePages<PlacedRow, ReportSource>('verification', services));
    this.lifetime.track(services.history.onDidChange((key) => void this.refresh(key)));
  }

  /** Shows a report that has a table. */
  async show(report: StoredReport): Promise<void> {
    await this.runInTurn(() => {
      const subject = getReportId(report);
      this.pages.find(subject)?.replace(report);
      if (!this.pages.reveal(subject)) this.pages.open(new ReportSource(this.services, subject, report), subject);
    });
  }

  /** The key of the transfer whose report is in the active tab, or the report's ID. */
  get activeKey(): string | undefined {
    return this.pages.active?.key;
  }

  /** Restores a report after the window reloads. */
  readonly restore = async (panel: WebviewPanel, state: unknown): Promise<void> => {
    await this.runInTurn(async () => {
      const view = this.pages.readState(panel, state);
      if (!view) return;
      const report = view.subject === undefined ? undefined : await this.services.history.getReport(view.subject);
      this.pages.attach(panel, new ReportSource(this.services, view.subject, report), view);
    });
  };

  private async refresh(key: string): Promise<void> {
    await this.runInTurn(async () => {
      const report = this.pages.find(key) && (await this.services.history.getReport(key));
      if (report) this.pages.find(key)?.replace(report);
    });
  }

  private async runInTurn(action: () => void | Promise<void>): Promise<void> {
    // A report that is shown while its tab returns is shown in that tab.
    const done = this.lastAction.then(action);
    this.lastAction = done.catch(() => undefined);
    await done;
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}
