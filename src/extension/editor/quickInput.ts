import {
  InputBoxValidationSeverity as Severity,
  l10n,
  QuickInputButtons,
  ThemeIcon,
  window,
  type InputBox,
  type QuickInput,
  type QuickPick,
  type QuickPickItem,
} from 'vscode';
import type { Disposable } from '../../core/util/lifetime.ts';
import { escapeIconsAndLinks } from '../words/plainText.ts';

/** An input's position in a sequence of steps. */
export interface StepPosition {
  readonly title: string;
  readonly step: number;
  readonly totalSteps: number;
  readonly canGoBack: boolean;
}

/** The entered value, or the action with which the user closed the input. */
export type InputResult<T> = { readonly value: T } | 'back' | 'cancel';

/** Shows an input, stores its value and resolves to the next action. Resolves to `skip` if no input was required. */
export interface Step {
  (position: StepPosition): Promise<'next' | 'skip' | 'back' | 'cancel'>;
  /** True for a step that is counted only when it is shown, because its answer is usually known. */
  readonly isConditional?: boolean;
  /** True for a step with the previous step's number, whose answer decides whether it is shown. */
  readonly isContinuation?: boolean;
}

/** Converts an input's result to a step's result. Passes an entered value to `store`. */
export function toStepResult<T>(result: InputResult<T>, store: (value: T) => void): 'next' | 'back' | 'cancel' {
  if (result === 'back' || result === 'cancel') return result;
  store(result.value);
  return 'next';
}

/** Creates the position of an input that is the only step. */
export function createSingleStep(title: string): StepPosition {
  return { title, step: 1, totalSteps: 1, canGoBack: false };
}

/** A button that closes an input and obtains the value in a different way. */
export interface InputButton {
  /** Name of the product icon. */
  readonly icon: string;
  readonly label: string;
  /** Obtains the value. `text` is the input's current text. */
  run(text: string): Promise<InputResult<string>>;
}

/** Options for {@link askText}. */
export interface TextInputOptions {
  readonly prompt: string;
  readonly placeholder?: string;
  readonly value?: string;
  readonly password?: boolean;
  readonly buttons?: readonly InputButton[];
  /** Returns an error message if the text is invalid. Called while the user types, and when the user presses Enter. */
  readonly validate?: (value: string) => string | undefined;
  /** Returns an interpretation of valid text, to show below the input. */
  readonly describe?: (value: string) => string | undefined;
  /**
   * Validates the value when the user presses Enter. Resolves to an error message to keep the input open. `signal` is
   * aborted when the input closes.
   */
  check?(value: string, signal: AbortSignal): Promise<string | undefined>;
}

/** Shows an input box for a line of text. */
export async function askText(position: StepPosition, options: TextInputOptions): Promise<InputResult<string>> {
  const input = window.createInputBox();
  const closing = new AbortController();
  input.prompt = escapeIconsAndLinks(options.prompt);
  input.placeholder = options.placeholder;
  input.value = options.value ?? '';
  input.password = options.password ?? false;
  const showError = (message: string | undefined): void => {
    input.validationMessage = escapeIconsAndLinks(message ?? '');
  };
  if (input.value !== '') showState(input, options);
  let checking = new AbortController();
  const accept = async (resolve: (result: InputResult<string>) => void): Promise<void> => {
    if (input.busy) return;
    const value = input.value.trim();
    const error = options.validate?.(value);
    showError(error);
    if (error !== undefined) return;
    checking = new AbortController();
    const { signal } = checking;
    input.busy = true;
    const checkError = await options.check?.(value, AbortSignal.any([signal, closing.signal]));
    if (signal.aborted || closing.signal.aborted) return;
    input.busy = false;
    if (checkError === undefined) resolve({ value });
    else showError(checkError);
  };
  const { buttons = [] } = options;
  const shownButtons = buttons.map(({ icon, label }) => ({ iconPath: new ThemeIcon(icon), tooltip: label }));
  input.buttons = shownButtons;
  let pressed: InputButton | undefined;
  const result = await showInput<string>(input, position, closing, (resolve) => [
    input.onDidChangeValue(() => {
      checking.abort();
      input.busy = false;
      showState(input, options);
    }),
    input.onDidAccept(() => accept(resolve)),
    input.onDidTriggerButton((button) => {
      pressed = buttons.find((_button, index) => shownButtons[index] === button);
      if (pressed) resolve({ value: input.value });
    }),
  ]);
  return pressed && typeof result === 'object' ? await pressed.run(result.value) : result;
}

/** Shows the error in an input's current text or, if the text is valid, its interpretation. */
function showState(input: InputBox, { validate, describe }: TextInputOptions): void {
  const value = input.value.trim();
  const error = validate?.(value);
  const description = error === undefined ? describe?.(value) : undefined;
  const message = escapeIconsAndLinks(error ?? description ?? '');
  input.validationMessage = description === undefined ? message : { message, severity: Severity.Info };
}

/** A row of a list, with its value. */
export interface Choice<T> extends QuickPickItem {
  readonly value: T;
}

/** Options for {@link pickOne}. {@link pickSeveral} ignores the optional ones. */
export interface PickOptions<T> {
  readonly placeholder: string;
  readonly choices: readonly Choice<T>[];
  /** Value of the row that is initially highlighted. */
  readonly active?: T;
  /** Rows to append later. Until then, the list shows a progress bar. */
  readonly laterChoices?: Promise<readonly Choice<T>[]>;
  /** Registers a listener that redraws the rows while the list is open. */
  onDidChangeChoices?(listener: (choices: readonly Choice<T>[]) => void): Disposable;
}

function escapeChoice<T>(choice: Choice<T>): Choice<T> {
  const { description, detail } = choice;
  return {
    ...choice,
    label: escapeIconsAndLinks(choice.label),
    ...(description !== undefined && { description: escapeIconsAndLinks(description) }),
    ...(detail !== undefined && { detail: escapeIconsAndLinks(detail) }),
  };
}

/** Shows a list from which to select one row. */
export async function pickOne<T>(position: StepPosition, options: PickOptions<T>): Promise<InputResult<T>> {
  const pick = window.createQuickPick<Choice<T>>();
  pick.placeholder = options.placeholder;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.items = options.choices.map(escapeChoice);
  // `active` may be absent, which differs from highlighting a choice whose value is undefined.
  const active = 'active' in options && pick.items.find((choice) => choice.value === options.active);
  if (active) pick.activeItems = [active];
  const closing = new AbortController();
  if (options.laterChoices) void appendLaterChoices(pick, options.laterChoices, closing.signal);
  const subscription = options.onDidChangeChoices?.((choices) => redraw(pick, choices));
  return await showInput(pick, position, closing, (resolve) => [
    ...(subscription ? [subscription] : []),
    listenForChoice(pick, resolve),
  ]);
}

/** Shows a list as the only step, and resolves to the selected value; undefined if the user cancels. */
export async function chooseOne<T>(title: string, options: PickOptions<T>): Promise<T | undefined> {
  const answer = await pickOne(createSingleStep(title), options);
  return typeof answer === 'string' ? undefined : answer.value;
}

function listenForChoice<T>(pick: QuickPick<Choice<T>>, resolve: (result: InputResult<T>) => void): Disposable {
  return pick.onDidAccept(() => {
    const [chosen] = pick.selectedItems;
    if (chosen) resolve({ value: chosen.value });
  });
}

/** Replaces the rows. Keeps the highlighted row and the scroll position, which the editor would otherwise reset. */
function redraw<T>(pick: QuickPick<Choice<T>>, choices: readonly Choice<T>[]): void {
  const [active] = pick.activeItems;
  pick.keepScrollPosition = true;
  pick.items = choices.map(escapeChoice);
  const sameRow = pick.items.find(({ value }) => value === active?.value);
  if (sameRow) pick.activeItems = [sameRow];
}

/** Appends rows as soon as they are available. Keeps the highlighted row. */
async function appendLaterChoices<T>(
  pick: QuickPick<Choice<T>>,
  later: Promise<readonly Choice<T>[]>,
  signal: AbortSignal,
): Promise<void> {
  pick.busy = true;
  const choices = await later;
  if (signal.aborted) return;
  pick.busy = false;
  redraw(pick, [...pick.items, ...choices]);
}

/** Shows a list from which to select one row. The rows are filtered by `find`, not by the editor. */
export async function pickFromSearch<T>(
  position: StepPosition,
  options: { readonly placeholder: string; find(text: string): readonly Choice<T>[] },
): Promise<InputResult<T>> {
  const pick = window.createQuickPick<Choice<T>>();
  const list = (text: string): void => {
    pick.items = options.find(text).map((choice) => ({ ...escapeChoice(choice), alwaysShow: true }));
  };
  pick.placeholder = options.placeholder;
  list('');
  return await showInput(pick, position, new AbortController(), (resolve) => [
    pick.onDidChangeValue(list),
    listenForChoice(pick, resolve),
  ]);
}

/** Shows a list from which to select at least one row. The rows in `selected` are selected initially. */
export async function pickSeveral<T>(
  position: StepPosition,
  options: PickOptions<T> & { readonly selected?: readonly T[] },
): Promise<InputResult<readonly T[]>> {
  const pick = window.createQuickPick<Choice<T>>();
  pick.canSelectMany = true;
  pick.placeholder = options.placeholder;
  pick.matchOnDescription = true;
  pick.items = options.choices.map(escapeChoice);
  const selected = new Set(options.selected);
  pick.selectedItems = pick.items.filter(({ value }) => selected.has(value));
  return await showInput(pick, position, new AbortController(), (resolve) => [
    pick.onDidAccept(() => {
      if (pick.selectedItems.length > 0) resolve({ value: pick.selectedItems.map((item) => item.value) });
      else pick.placeholder = l10n.t('Select at least one item');
    }),
  ]);
}

type InputListener<T> = (resolve: (result: InputResult<T>) => void) => readonly Disposable[];

interface TitledInput extends QuickInput {
  buttons: readonly unknown[];
  onDidTriggerButton(listener: (button: unknown) => void): Disposable;
}

async function showInput<T>(
  input: QuickInput,
  position: StepPosition,
  closing: AbortController,
  listen: InputListener<T>,
): Promise<InputResult<T>> {
  const titled = input as TitledInput;
  const listeners: Disposable[] = [];
  input.title = position.title;
  if (position.totalSteps > 1) {
    input.step = position.step;
    input.totalSteps = position.totalSteps;
  }
  input.ignoreFocusOut = true;
  if (position.canGoBack) titled.buttons = [QuickInputButtons.Back, ...titled.buttons];
  try {
    return await new Promise<InputResult<T>>((resolve) => {
      listeners.push(
        ...listen(resolve),
        titled.onDidTriggerButton((button) => {
          if (button === QuickInputButtons.Back) resolve('back');
        }),
        input.onDidHide(() => resolve('cancel')),
      );
      input.show();
    });
  } finally {
    closing.abort();
    for (const listener of listeners) listener.dispose();
    input.dispose();
  }
}
