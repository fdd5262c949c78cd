import { window, type MessageItem, type OpenDialogOptions, type SaveDialogOptions } from 'vscode';
import {
  AsyncQueue,
  ScriptedFolderDialog,
  ScriptedPick,
  ScriptedSaveDialog,
  ScriptedTextBox,
} from './scriptedInputs.ts';

/** A displayed message; its methods simulate the user. */
export class ScriptedNotice {
  readonly kind: 'information' | 'warning' | 'error';
  readonly message: string;
  readonly buttons: readonly string[];
  readonly isModal: boolean;
  readonly detail: string;
  /** Resolves to the button that was pressed, or to undefined if the message was dismissed. */
  readonly answered: Promise<Button | undefined>;
  private readonly items: readonly Button[];
  private resolve: (button: Button | undefined) => void = () => undefined;

  constructor(kind: ScriptedNotice['kind'], message: string, rest: readonly unknown[]) {
    const [first] = rest;
    const options = typeof first === 'object' && first !== null ? (first as { modal?: boolean; detail?: string }) : {};
    this.kind = kind;
    this.message = message;
    this.items = rest.filter(isButton);
    this.buttons = this.items.map(getTitle);
    this.isModal = options.modal ?? false;
    this.detail = options.detail ?? '';
    this.answered = new Promise((resolve) => (this.resolve = resolve));
  }

  /** All displayed text. */
  get text(): string {
    return [this.message, this.detail, ...this.buttons].join('\n');
  }

  press(button: string): void {
    const item = this.items.find((one) => getTitle(one) === button);
    if (item === undefined) throw new Error(`"${this.text}" has no button "${button}".`);
    this.resolve(item);
  }

  dismiss(): void {
    this.resolve(undefined);
  }
}

/** A button as passed to the editor. */
type Button = string | MessageItem;

function isButton(item: unknown): item is Button {
  return typeof item === 'string' || (typeof item === 'object' && item !== null && 'title' in item);
}

function getTitle(button: Button): string {
  return typeof button === 'string' ? button : button.title;
}

const replaced = [
  'createInputBox',
  'createQuickPick',
  'showOpenDialog',
  'showSaveDialog',
  'showInformationMessage',
  'showWarningMessage',
  'showErrorMessage',
  'setStatusBarMessage',
] as const;

/** An input or dialog that can be shown to the user. */
type ScriptedQuestion = ScriptedTextBox | ScriptedPick | ScriptedFolderDialog | ScriptedSaveDialog;

/**
 * Simulates the user: replaces the editor's inputs and messages, records everything that is shown, and responds as the
 * test requires. Everything else is real. `restore` puts the editor's own functions back.
 */
export class ScriptedWindow {
  /** All messages that were shown, in order. */
  readonly notices: ScriptedNotice[] = [];
  /** All inputs that were shown, in order. */
  readonly inputs: ScriptedQuestion[] = [];
  /** The temporary messages in the status bar. */
  readonly statusMessages: string[] = [];
  private readonly shownInputs = new AsyncQueue<ScriptedQuestion>();
  private readonly shownNotices = new AsyncQueue<ScriptedNotice>();
  private readonly originals = Object.fromEntries(replaced.map((name) => [name, window[name]]));

  constructor() {
    const notice =
      (kind: ScriptedNotice['kind']) =>
      (message: string, ...rest: unknown[]): Promise<Button | undefined> =>
        this.showNotice(new ScriptedNotice(kind, message, rest));
    const replacements: Record<(typeof replaced)[number], unknown> = {
      createInputBox: () => new ScriptedTextBox((box) => this.take(box)),
      createQuickPick: () => new ScriptedPick((pick) => this.take(pick)),
      showOpenDialog: (options: OpenDialogOptions) => this.ask(new ScriptedFolderDialog(options)),
      showSaveDialog: (options: SaveDialogOptions) => {
        const dialog = new ScriptedSaveDialog(options);
        this.take(dialog);
        return dialog.answered;
      },
      showInformationMessage: notice('information'),
      showWarningMessage: notice('warning'),
      showErrorMessage: notice('error'),
      setStatusBarMessage: (text: string) => {
        this.statusMessages.push(text);
        return { dispose: () => undefined };
      },
    };
    Object.assign(window, replacements);
  }

  /** Waits for the next input of any kind. Rejects if none is shown within 90 seconds. */
  async input(): Promise<ScriptedQuestion> {
    return await this.shownInputs.next(() => `No input was shown. ${this.summary()}`);
  }

  /** Waits for the next input. Throws if it isn't a text input. */
  async textBox(): Promise<ScriptedTextBox> {
    const input = await this.input();
    if (input instanceof ScriptedTextBox) return input;
    throw new Error(`A text input was expected, but this was shown: ${input.text}`);
  }

  /** Waits for the next input. Throws if it isn't a quick pick. */
  async pick(): Promise<ScriptedPick> {
    const input = await this.input();
    if (input instanceof ScriptedPick) return input;
    throw new Error(`A list was expected, but this was shown: ${input.text}`);
  }

  /** Waits for the next input. Throws if it isn't a dialog for choosing a folder. */
  async folderDialog(): Promise<ScriptedFolderDialog> {
    const input = await this.input();
    if (input instanceof ScriptedFolderDialog) return input;
    throw new Error(`A folder dialog was expected, but this was shown: ${input.text}`);
  }

  /** Waits for the next input. Throws if it isn't a dialog for saving a file. */
  async saveDialog(): Promise<ScriptedSaveDialog> {
    const input = await this.input();
    if (input instanceof ScriptedSaveDialog) return input;
    throw new Error(`A dialog for a new file was expected, but this was shown: ${input.text}`);
  }

  /** Waits for the next message that matches `pattern`, skipping others. Rejects if none is shown within 90 seconds. */
  async notice(pattern = /(?:)/): Promise<ScriptedNotice> {
    for (;;) {
      const notice = await this.shownNotices.next(() => `No message ${String(pattern)} was shown. ${this.summary()}`);
      if (pattern.test(notice.message)) return notice;
    }
  }

  /** All text that has been shown so far. */
  get everythingShown(): string {
    return [
      ...this.notices.map(({ text }) => text),
      ...this.inputs.map(({ text }) => text),
      ...this.statusMessages,
    ].join('\n');
  }

  /** Closes everything that is still open, as a closing window does, and reinstates the editor's own functions. */
  restore(): void {
    Object.assign(window, this.originals);
    for (const input of this.inputs) input.escape();
    for (const notice of this.notices) notice.dismiss();
  }

  private take(input: ScriptedQuestion): void {
    this.inputs.push(input);
    this.shownInputs.put(input);
  }

  private ask(dialog: ScriptedFolderDialog): ScriptedFolderDialog['answered'] {
    this.take(dialog);
    return dialog.answered;
  }

  private showNotice(notice: ScriptedNotice): Promise<Button | undefined> {
    this.notices.push(notice);
    this.shownNotices.put(notice);
    return notice.answered;
  }

  private summary(): string {
    const notices = this.notices.map(({ message }) => message).join(' | ');
    const inputs = this.inputs.map(({ text }) => text).join(' | ');
    return `Messages were: ${notices || 'none'}. Inputs were: ${inputs || 'none'}.`;
  }
}
