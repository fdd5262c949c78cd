import { l10n, window } from 'vscode';
import { inert } from './words.ts';

/** A button of a notice and what it does. */
export interface NoticeAction {
  readonly label: string;
  run(): unknown;
}

/** The only place that shows messages; each resolves when it was answered or went away. */
export class Notices {
  async info(message: string, ...actions: NoticeAction[]): Promise<void> {
    await act(actions, await window.showInformationMessage(inert(message), ...labels(actions)));
  }

  async warning(message: string, ...actions: NoticeAction[]): Promise<void> {
    await act(actions, await window.showWarningMessage(inert(message), ...labels(actions)));
  }

  async error(message: string, ...actions: NoticeAction[]): Promise<void> {
    await act(actions, await window.showErrorMessage(inert(message), ...labels(actions)));
  }

  /** Asks before something that matters; true when the person pressed the button with this label. */
  async confirm(message: string, detail: string, label: string): Promise<boolean> {
    return (await this.choose(message, detail, label)) === label;
  }

  /** The same where the editor's own button, "Cancel", could be taken for the other: `leave` is what it says instead. */
  async confirmOrLeave(message: string, detail: string, label: string, leave: string): Promise<boolean> {
    const [yes, no] = [{ title: label }, { title: leave, isCloseAffordance: true }];
    return (await window.showWarningMessage(inert(message), { modal: true, detail: inert(detail) }, yes, no)) === yes;
  }

  /** Asks before something that matters, with several ways on; undefined when the person left. */
  async choose(message: string, detail: string, ...labels: string[]): Promise<string | undefined> {
    return await window.showWarningMessage(inert(message), { modal: true, detail: inert(detail) }, ...labels);
  }

  /** Says something and offers ways on; resolves with the label of the one that was taken. */
  async offer(kind: 'info' | 'warning', message: string, ...ways: string[]): Promise<string | undefined> {
    const show = kind === 'info' ? window.showInformationMessage : window.showWarningMessage;
    return await show(inert(message), ...ways);
  }

  /** Shows a result of several lines that a person asked for, and waits until it was read. */
  async report(kind: 'info' | 'warning', message: string, detail: string, ...actions: NoticeAction[]): Promise<void> {
    const show = kind === 'info' ? window.showInformationMessage : window.showWarningMessage;
    await act(actions, await show(inert(message), { modal: true, detail: inert(detail) }, ...labels(actions)));
  }

  /** Says shortly what was done, in the status bar, for what needs no answer. */
  done(message: string): void {
    window.setStatusBarMessage(inert(message), 4000);
  }
}

function labels(actions: readonly NoticeAction[]): string[] {
  return actions.map((action) => action.label);
}

async function act(actions: readonly NoticeAction[], label: string | undefined): Promise<void> {
  await actions.find((action) => action.label === label)?.run();
}

/** The button that opens the log. */
export function showLogAction(show: () => unknown): NoticeAction {
  return { label: l10n.t('Show Log'), run: show };
}
