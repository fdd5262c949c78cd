import { window, type MessageItem, type OpenDialogOptions, type SaveDialogOptions } from 'vscode';
import { Arrivals, ScriptedFolderDialog, ScriptedPick, ScriptedSaveDialog, ScriptedTextBox } from './scriptedInputs.ts';

/** A message that the person sees, and what they can do with it. */
export class ScriptedNotice {
  readonly kind: 'information' | 'warning' | 'error';
  readonly message: string;
  readonly buttons: readonly string[];
  readonly isModal: boolean;
  readonly detail: string;
  /** Resolves to the button that was pressed, or to nothing when the notice went away. */
  readonly answered: Promise<Button | undefined>;
  private readonly items: readonly Button[];
  private resolve: (button: Button | undefined) => void = () => undefined;

  constructor(kind: ScriptedNotice['kind'], message: string, rest: readonly unknown[]) {
    const [first] = rest;
    const options = typeof first === 'object' && first !== null ? (first as { modal?: boolean; detail?: string }) : {};
    this.kind = kind;
    this.message = message;
    this.items = rest.filter(isButton);
    this.buttons = this.items.map(titleOf);
    this.isModal = options.modal ?? false;
    this.detail = options.detail ?? '';
    this.answered = new Promise((resolve) => (this.resolve = resolve));
  }

  /** All that it shows. */
  get text(): string {
    return [this.message, this.detail, ...this.buttons].join('\n');
  }

  press(button: string): void {
    const item = this.items.find((one) => titleOf(one) === button);
    if (item === undefined) throw new Error(`"${this.text}" has no button "${button}".`);
    this.resolve(item);
  }

  dismiss(): void {
    this.resolve(undefined);
  }
}

/** A button as the editor is given it. */
type Button = string | MessageItem;

function isButton(item: unknown): item is Button {
  return typeof item === 'string' || (typeof item === 'object' && item !== null && 'title' in item);
}

function titleOf(button: Button): string {
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

/** Whatever a person can be asked with. */
type ScriptedQuestion = ScriptedTextBox | ScriptedPick | ScriptedFolderDialog | ScriptedSaveDialog;

/**
 * Stands where the person sits: takes over the editor's inputs and messages, remembers all that was shown, and answers
 * as the test says. Everything behind them is the real thing. `restore` gives the editor its own back.
 */
export class ScriptedWindow {
  /** Every message that was shown, in their order. */
  readonly notices: ScriptedNotice[] = [];
  /** Every input that was shown, in their order. */
  readonly inputs: ScriptedQuestion[] = [];
  /** What was said shortly in the status bar. */
  readonly said: string[] = [];
  private readonly shownInputs = new Arrivals<ScriptedQuestion>();
  private readonly shownNotices = new Arrivals<ScriptedNotice>();
  private readonly originals = Object.fromEntries(replaced.map((name) => [name, window[name]]));

  constructor() {
    const notice =
      (kind: ScriptedNotice['kind']) =>
      (message: string, ...rest: unknown[]): Promise<Button | undefined> =>
        this.tell(new ScriptedNotice(kind, message, rest));
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
        this.said.push(text);
        return { dispose: () => undefined };
      },
    };
    Object.assign(window, replacements);
  }

  /** The next input of whatever kind. */
  async input(): Promise<ScriptedQuestion> {
    return await this.shownInputs.next(() => `No input was shown. ${this.summary()}`);
  }

  /** The next text input that the person is asked to fill in. */
  async textBox(): Promise<ScriptedTextBox> {
    const input = await this.input();
    if (input instanceof ScriptedTextBox) return input;
    throw new Error(`A text input was expected, but this was shown: ${input.text}`);
  }

  /** The next list that the person is asked to pick from. */
  async pick(): Promise<ScriptedPick> {
    const input = await this.input();
    if (input instanceof ScriptedPick) return input;
    throw new Error(`A list was expected, but this was shown: ${input.text}`);
  }

  /** The next dialog in which the person is asked for a folder. */
  async folderDialog(): Promise<ScriptedFolderDialog> {
    const input = await this.input();
    if (input instanceof ScriptedFolderDialog) return input;
    throw new Error(`A folder dialog was expected, but this was shown: ${input.text}`);
  }

  /** The next dialog in which the person is asked where to put a new file. */
  async saveDialog(): Promise<ScriptedSaveDialog> {
    const input = await this.input();
    if (input instanceof ScriptedSaveDialog) return input;
    throw new Error(`A dialog for a new file was expected, but this was shown: ${input.text}`);
  }

  /** The next message; those that do not match `pattern` are passed over. */
  async notice(pattern = /(?:)/): Promise<ScriptedNotice> {
    for (;;) {
      const notice = await this.shownNotices.next(() => `No message ${String(pattern)} was shown. ${this.summary()}`);
      if (pattern.test(notice.message)) return notice;
    }
  }

  /** Everything that the person could have read so far. */
  get everythingShown(): string {
    return [...this.notices.map(({ text }) => text), ...this.inputs.map(({ text }) => text), ...this.said].join('\n');
  }

  /** Ends what is still open, as closing the window does, and gives the editor its own functions back. */
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

  private tell(notice: ScriptedNotice): Promise<Button | undefined> {
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
