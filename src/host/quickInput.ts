import {
  l10n,
  QuickInputButtons,
  ThemeIcon,
  window,
  type QuickInput,
  type QuickPick,
  type QuickPickItem,
} from 'vscode';
import type { Disposable } from '../core/util/lifetime.ts';
import { inert } from './words.ts';

/** Where an input stands in a row of steps. */
export interface StepPosition {
  readonly title: string;
  readonly step: number;
  readonly totalSteps: number;
  readonly canGoBack: boolean;
}

/** What a person did with an input: answered, went back a step, or left. */
export type Answer<T> = { readonly value: T } | 'back' | 'cancel';

/** A step asks, puts the answer where it belongs, and says how to go on; `skip` when there was nothing to ask. */
export type Step = (position: StepPosition) => Promise<'next' | 'skip' | 'back' | 'cancel'>;

/**
 * Runs steps to the end, back and forth. False when the person left; nothing should have happened then.
 * `last` asks by other means than an input, and is not counted.
 */
export async function runSteps(title: string, steps: readonly Step[], last?: Step): Promise<boolean> {
  const all = last ? [...steps, last] : steps;
  const asked: number[] = [];
  let index = 0;
  while (index < all.length) {
    const position = { title, step: index + 1, totalSteps: steps.length, canGoBack: asked.length > 0 };
    const outcome = (await all[index]?.(position)) ?? 'cancel';
    if (outcome === 'cancel') return false;
    if (outcome === 'back') index = asked.pop() ?? 0;
    else {
      if (outcome === 'next') asked.push(index);
      index += 1;
    }
  }
  return true;
}

/** How a step goes on after an answer, which `keep` puts away. */
export function after<T>(answer: Answer<T>, keep: (value: T) => void): 'next' | 'back' | 'cancel' {
  if (answer === 'back' || answer === 'cancel') return answer;
  keep(answer.value);
  return 'next';
}

/** An input that stands alone, not in a row of steps. */
export function alone(title: string): StepPosition {
  return { title, step: 1, totalSteps: 1, canGoBack: false };
}

/** A button of an input that leads to the answer another way; the input is gone by then. */
export interface OtherWay {
  /** Name of the icon. */
  readonly icon: string;
  readonly label: string;
  /** Takes what was typed so far. */
  go(text: string): Promise<Answer<string>>;
}

/** What {@link askText} shows and checks. */
export interface TextQuestion {
  readonly prompt: string;
  readonly placeholder?: string;
  readonly value?: string;
  readonly password?: boolean;
  readonly ways?: readonly OtherWay[];
  /** Says at once, while the person types, what is wrong. */
  validate?(value: string): string | undefined;
  /** Says after Enter what is wrong; the input stays and shows it. Ended through `signal` when the person leaves. */
  check?(value: string, signal: AbortSignal): Promise<string | undefined>;
}

/** Asks for a line of text. */
export async function askText(position: StepPosition, question: TextQuestion): Promise<Answer<string>> {
  const input = window.createInputBox();
  const leaving = new AbortController();
  input.prompt = inert(question.prompt);
  input.placeholder = question.placeholder;
  input.value = question.value ?? '';
  input.password = question.password ?? false;
  const complain = (message: string | undefined): void => {
    input.validationMessage = inert(message ?? '');
  };
  if (input.value !== '') complain(question.validate?.(input.value.trim()));
  let checking = new AbortController();
  const accept = async (resolve: (answer: Answer<string>) => void): Promise<void> => {
    if (input.busy) return;
    const value = input.value.trim();
    const wrong = question.validate?.(value);
    complain(wrong);
    if (wrong !== undefined) return;
    checking = new AbortController();
    const { signal } = checking;
    input.busy = true;
    const refused = await question.check?.(value, AbortSignal.any([signal, leaving.signal]));
    if (signal.aborted || leaving.signal.aborted) return;
    input.busy = false;
    if (refused === undefined) resolve({ value });
    else complain(refused);
  };
  const { ways = [] } = question;
  const buttons = ways.map(({ icon, label }) => ({ iconPath: new ThemeIcon(icon), tooltip: label }));
  input.buttons = buttons;
  let way: OtherWay | undefined;
  const answer = await show<string>(input, position, leaving, (resolve) => [
    input.onDidChangeValue((value) => {
      checking.abort();
      input.busy = false;
      complain(question.validate?.(value.trim()));
    }),
    input.onDidAccept(() => accept(resolve)),
    input.onDidTriggerButton((button) => {
      way = ways.find((_way, index) => buttons[index] === button);
      if (way) resolve({ value: input.value });
    }),
  ]);
  return way && typeof answer === 'object' ? await way.go(answer.value) : answer;
}

/** A row to pick, with what it stands for. */
export interface Choice<T> extends QuickPickItem {
  readonly value: T;
}

/** What {@link pickOne} shows. */
export interface PickQuestion<T> {
  readonly placeholder: string;
  readonly choices: readonly Choice<T>[];
  /** The row that is highlighted at first. */
  readonly active?: T;
  /** Rows that follow when they are known; until then the list shows that something is on its way. */
  readonly later?: Promise<readonly Choice<T>[]>;
  /** Draws the same rows with other words whenever they change, as long as the list is open. */
  follow?(draw: (choices: readonly Choice<T>[]) => void): Disposable;
}

function inertChoice<T>(choice: Choice<T>): Choice<T> {
  const { description, detail } = choice;
  return {
    ...choice,
    label: inert(choice.label),
    ...(description !== undefined && { description: inert(description) }),
    ...(detail !== undefined && { detail: inert(detail) }),
  };
}

/** Asks to pick one of several. */
export async function pickOne<T>(position: StepPosition, question: PickQuestion<T>): Promise<Answer<T>> {
  const pick = window.createQuickPick<Choice<T>>();
  pick.placeholder = question.placeholder;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.items = question.choices.map(inertChoice);
  const active = pick.items.find((choice) => choice.value === question.active);
  if (active) pick.activeItems = [active];
  const leaving = new AbortController();
  if (question.later) void addLater(pick, question.later, leaving.signal);
  const following = question.follow?.((choices) => redraw(pick, choices));
  return await show(pick, position, leaving, (resolve) => [
    ...(following ? [following] : []),
    pick.onDidAccept(() => {
      const [chosen] = pick.selectedItems;
      if (chosen) resolve({ value: chosen.value });
    }),
  ]);
}

/** Setting the rows moves the highlight to the first and the list to its top, unless told otherwise. */
function redraw<T>(pick: QuickPick<Choice<T>>, choices: readonly Choice<T>[]): void {
  const [reached] = pick.activeItems;
  pick.keepScrollPosition = true;
  pick.items = choices.map(inertChoice);
  const again = pick.items.find(({ value }) => value === reached?.value);
  if (again) pick.activeItems = [again];
}

/** The row that the person has reached by then stays the highlighted one. */
async function addLater<T>(
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

/** Asks to pick one of those that `find` gives for what was typed: a search of its own, not the editor's. */
export async function pickFound<T>(
  position: StepPosition,
  question: { readonly placeholder: string; find(text: string): readonly Choice<T>[] },
): Promise<Answer<T>> {
  const pick = window.createQuickPick<Choice<T>>();
  const list = (text: string): void => {
    pick.items = question.find(text).map((choice) => ({ ...inertChoice(choice), alwaysShow: true }));
  };
  pick.placeholder = question.placeholder;
  list('');
  return await show(pick, position, new AbortController(), (resolve) => [
    pick.onDidChangeValue(list),
    pick.onDidAccept(() => {
      const [chosen] = pick.selectedItems;
      if (chosen) resolve({ value: chosen.value });
    }),
  ]);
}

/** Asks to pick any number, at least one; those that are `selected` are picked at first. */
export async function pickSeveral<T>(
  position: StepPosition,
  question: PickQuestion<T> & { readonly selected?: readonly T[] },
): Promise<Answer<readonly T[]>> {
  const pick = window.createQuickPick<Choice<T>>();
  pick.canSelectMany = true;
  pick.placeholder = question.placeholder;
  pick.matchOnDescription = true;
  pick.items = question.choices.map(inertChoice);
  const selected = new Set(question.selected);
  pick.selectedItems = pick.items.filter(({ value }) => selected.has(value));
  return await show(pick, position, new AbortController(), (resolve) => [
    pick.onDidAccept(() => {
      if (pick.selectedItems.length > 0) resolve({ value: pick.selectedItems.map((item) => item.value) });
      else pick.placeholder = l10n.t('Select at least one');
    }),
  ]);
}

type Listen<T> = (resolve: (answer: Answer<T>) => void) => readonly Disposable[];

interface Titled extends QuickInput {
  buttons: readonly unknown[];
  onDidTriggerButton(listener: (button: unknown) => void): Disposable;
}

async function show<T>(
  input: QuickInput,
  position: StepPosition,
  leaving: AbortController,
  listen: Listen<T>,
): Promise<Answer<T>> {
  const titled = input as Titled;
  const listeners: Disposable[] = [];
  input.title = position.title;
  if (position.totalSteps > 1) {
    input.step = position.step;
    input.totalSteps = position.totalSteps;
  }
  input.ignoreFocusOut = true;
  if (position.canGoBack) titled.buttons = [QuickInputButtons.Back, ...titled.buttons];
  try {
    return await new Promise<Answer<T>>((resolve) => {
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
    leaving.abort();
    for (const listener of listeners) listener.dispose();
    input.dispose();
  }
}
