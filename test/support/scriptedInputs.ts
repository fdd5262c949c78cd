import {
  EventEmitter,
  QuickInputButtons,
  type OpenDialogOptions,
  type QuickPickItem,
  type SaveDialogOptions,
  type Uri,
} from 'vscode';

const limitMs = 90_000;

/** A queue of values for code that waits for the next one. */
export class AsyncQueue<T> {
  private readonly here: T[] = [];
  private readonly waiting: ((value: T) => void)[] = [];

  put(value: T): void {
    const waiter = this.waiting.shift();
    if (waiter) waiter(value);
    else this.here.push(value);
  }

  /**
   * Resolves to the oldest value that has not been taken yet. Rejects with the text of `explain` if none arrives within
   * 90 seconds.
   */
  async next(explain: () => string): Promise<T> {
    const [first] = this.here.splice(0, 1);
    if (first !== undefined) return first;
    return await new Promise<T>((resolve, reject) => {
      const waiter = (value: T): void => {
        clearTimeout(limit);
        resolve(value);
      };
      const limit = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        reject(new Error(explain()));
      }, limitMs);
      this.waiting.push(waiter);
    });
  }
}

/**
 * Base class of the text box and the quick pick. Has the members that the extension uses, and methods that simulate the
 * user.
 */
abstract class ScriptedInput {
  title: string | undefined;
  step: number | undefined;
  totalSteps: number | undefined;
  placeholder: string | undefined;
  enabled = true;
  ignoreFocusOut = false;
  buttons: readonly unknown[] = [];
  /** True while the input is visible. */
  isOpen = false;
  protected readonly accepted = new EventEmitter<void>();
  protected readonly changed = new EventEmitter<void>();
  private readonly hidden = new EventEmitter<void>();
  private readonly pressed = new EventEmitter<unknown>();
  private isBusy = false;

  readonly onDidAccept = this.accepted.event;
  readonly onDidHide = this.hidden.event;
  readonly onDidTriggerButton = this.pressed.event;

  get busy(): boolean {
    return this.isBusy;
  }

  set busy(busy: boolean) {
    this.isBusy = busy;
    this.changed.fire();
  }

  abstract show(): void;

  hide(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.hidden.fire();
    this.changed.fire();
  }

  dispose(): void {
    this.hide();
  }

  /** Closes the input, as the Escape key does. */
  escape(): void {
    this.hide();
  }

  /** Presses the Back button. */
  goBack(): void {
    if (!this.buttons.includes(QuickInputButtons.Back)) throw new Error(`"${this.title ?? ''}" has no Back button.`);
    this.pressed.fire(QuickInputButtons.Back);
  }

  /** Presses the button with the given tooltip. */
  press(label: string): void {
    const button = this.buttons.find((one) => (one as { readonly tooltip?: unknown }).tooltip === label);
    if (button === undefined) throw new Error(`"${this.title ?? ''}" has no button "${label}".`);
    this.pressed.fire(button);
  }

  /** Resolves when `isSo` returns true. Rejects if the input is closed first, or after 90 seconds. */
  protected async until(isSo: () => boolean, what: string): Promise<void> {
    if (isSo()) return;
    await new Promise<void>((resolve, reject) => {
      const end = (settle: () => void): void => {
        clearTimeout(limit);
        subscription.dispose();
        settle();
      };
      const subscription = this.changed.event(() => {
        if (isSo()) end(resolve);
        else if (!this.isOpen) end(() => reject(new Error(`The input went away before ${what}.`)));
      });
      const limit = setTimeout(() => end(() => reject(new Error(`The input never came to ${what}.`))), limitMs);
    });
  }
}

/** A text input; its methods simulate the user. */
export class ScriptedTextBox extends ScriptedInput {
  value = '';
  prompt: string | undefined;
  password = false;
  private complained = '';
  private readonly typed = new EventEmitter<string>();
  private readonly whenShown: (box: ScriptedTextBox) => void;

  readonly onDidChangeValue = this.typed.event;

  constructor(whenShown: (box: ScriptedTextBox) => void) {
    super();
    this.whenShown = whenShown;
  }

  get validationMessage(): string {
    return this.complained;
  }

  /**
   * The current message that isn't an error, such as an explanation of how the text was understood; empty if there is
   * none.
   */
  understood = '';

  set validationMessage(given: string | { readonly message: string }) {
    const message = typeof given === 'string' ? given : '';
    this.understood = typeof given === 'string' ? '' : given.message;
    this.complained = message;
    this.complaints.push(message);
    this.changed.fire();
  }

  /** All validation errors so far, in order; an empty string means that there was no error. */
  readonly complaints: string[] = [];

  /** All displayed text except the typed value and {@link understood}. */
  get text(): string {
    return [this.title, this.prompt, this.placeholder, ...this.complaints].filter(Boolean).join('\n');
  }

  override show(): void {
    this.isOpen = true;
    this.whenShown(this);
  }

  type(text: string): void {
    this.value = text;
    this.typed.fire(text);
  }

  /** Presses Enter, after typing `text` if it is given. */
  enter(text?: string): void {
    if (text !== undefined) this.type(text);
    this.accepted.fire();
  }

  /** Waits until validation has finished with an error; resolves to its message. */
  async complaint(): Promise<string> {
    await this.until(() => !this.busy && this.complained !== '', 'a complaint');
    return this.complained;
  }
}

/** The dialog for choosing a folder. */
export class ScriptedFolderDialog {
  /** All displayed text. */
  readonly text: string;
  /** Resolves to the folder, or to undefined if the dialog was canceled. */
  readonly answered: Promise<Uri[] | undefined>;
  private resolve: (folders: Uri[] | undefined) => void = () => undefined;

  constructor({ title, openLabel }: OpenDialogOptions) {
    this.text = [title, openLabel].filter(Boolean).join('\n');
    this.answered = new Promise((resolve) => (this.resolve = resolve));
  }

  choose(folder: Uri): void {
    this.resolve([folder]);
  }

  /** Cancels the dialog, as pressing Escape does. */
  escape(): void {
    this.resolve(undefined);
  }
}

/** The dialog for choosing the location of a new file. */
export class ScriptedSaveDialog {
  /** All displayed text. */
  readonly text: string;
  /** Resolves to the file, or to undefined if the dialog was canceled. */
  readonly answered: Promise<Uri | undefined>;
  private resolve: (file: Uri | undefined) => void = () => undefined;

  constructor({ title, filters, defaultUri }: SaveDialogOptions) {
    this.text = [title, ...Object.keys(filters ?? {}), defaultUri?.path].filter(Boolean).join('\n');
    this.answered = new Promise((resolve) => (this.resolve = resolve));
  }

  choose(file: Uri): void {
    this.resolve(file);
  }

  /** Cancels the dialog, as pressing Escape does. */
  escape(): void {
    this.resolve(undefined);
  }
}

/** A quick pick; its methods simulate the user. */
export class ScriptedPick extends ScriptedInput {
  items: readonly QuickPickItem[] = [];
  activeItems: readonly QuickPickItem[] = [];
  selectedItems: readonly QuickPickItem[] = [];
  canSelectMany = false;
  matchOnDescription = false;
  matchOnDetail = false;
  keepScrollPosition = false;
  value = '';
  private readonly typed = new EventEmitter<string>();
  readonly onDidChangeValue = this.typed.event;
  private readonly whenShown: (pick: ScriptedPick) => void;

  constructor(whenShown: (pick: ScriptedPick) => void) {
    super();
    this.whenShown = whenShown;
  }

  get labels(): readonly string[] {
    return this.items.map(({ label }) => label);
  }

  /** All displayed text. */
  get text(): string {
    const rows = this.items.flatMap(({ label, description, detail }) => [label, description, detail]);
    return [this.title, this.placeholder, ...rows].filter(Boolean).join('\n');
  }

  override show(): void {
    this.isOpen = true;
    this.whenShown(this);
  }

  /** Resolves when the list is no longer busy. */
  async settled(): Promise<void> {
    await this.until(() => !this.busy, 'rest');
  }

  /** Types into the filter box. Doesn't filter the rows; they change only in lists that search on their own. */
  type(text: string): void {
    this.value = text;
    this.typed.fire(text);
  }

  /** Presses Enter to accept the current selection. */
  accept(): void {
    this.accepted.fire();
  }

  /** Selects the rows with the given labels and presses Enter. */
  choose(...labels: readonly string[]): void {
    this.selectedItems = labels.map((label) => {
      const found = this.items.find((item) => item.label === label);
      if (!found) throw new Error(`There is no row "${label}"; there are: ${this.labels.join(', ')}`);
      return found;
    });
    this.accepted.fire();
  }
}
