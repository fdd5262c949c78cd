import type { Locator, Page } from 'playwright-core';
import type { PageElement } from './pageElement.ts';
import { until } from './until.ts';

/** Time in which a pressed button closes its notification, in milliseconds. */
const closeMs = 2_000;

/** A notification in the corner of the window. */
export interface NotificationState {
  readonly text: string;
  readonly severity: 'info' | 'warning' | 'error' | 'unknown';
  readonly buttons: readonly string[];
}

/** Reads and answers the notifications and the modal dialogs of a window. */
export class Notifications {
  readonly #page: Page;
  readonly #items: Locator;

  constructor(page: Page) {
    this.#page = page;
    this.#items = page.locator('.notification-list-item:visible');
  }

  /** Returns the visible notifications. */
  all(): Promise<readonly NotificationState[]> {
    return this.#items.evaluateAll(readNotifications);
  }

  /** Waits for a notification that contains the given text; resolves to its content. */
  async wait(text: string | RegExp, waitMs?: number): Promise<NotificationState> {
    const isIt = (state: NotificationState): boolean =>
      typeof text === 'string' ? state.text.includes(text) : text.test(state.text);
    return until(`a notification with ${text}`, async () => (await this.all()).find(isIt), waitMs);
  }

  /**
   * Presses a button of the notification that contains the given text. Resolves when the notification is closed.
   * Presses again if it stays open: the editor moves it when another one closes, and a click during the move has no
   * effect.
   */
  async press(text: string | RegExp, button: string): Promise<void> {
    await this.wait(text);
    const message = this.#page.locator('.notification-list-item-message', { hasText: text });
    const item = this.#items.filter({ has: message }).first();
    await item.hover();
    const buttons = item.locator('.notification-list-item-buttons-container .monaco-button', { hasText: button });
    const pressed = await buttons.first().elementHandle();
    await until(`“${button}” to close its notification`, async () => {
      if (await pressed.isVisible()) await pressed.click().catch(() => undefined);
      await pressed.waitForElementState('hidden', { timeout: closeMs }).catch(() => undefined);
      return (await pressed.isVisible()) ? undefined : true;
    });
  }

  /** Follows a link in the text of a notification. */
  async followLink(text: string | RegExp, link: string): Promise<void> {
    await this.wait(text);
    const message = this.#page.locator('.notification-list-item-message', { hasText: text }).first();
    await message.locator('a', { hasText: link }).click();
  }

  /** Closes all notifications, even if one disappears by itself in the meantime. */
  async clear(): Promise<void> {
    await until('all notifications to be closed', async () => {
      const item = this.#items.first();
      if ((await item.count()) === 0) return true;
      await item.hover({ timeout: 1_000 }).catch(() => undefined);
      const close = item.locator('.codicon-notifications-clear').first();
      await close.click({ timeout: 1_000 }).catch(() => undefined);
      return undefined;
    });
  }

  /** Waits for a modal dialog; resolves to its text and buttons. */
  async dialog(): Promise<{ message: string; detail: string; buttons: readonly string[] }> {
    const box = this.#page.locator('.monaco-dialog-box');
    await box.waitFor();
    const buttons = await box.locator('.dialog-buttons .monaco-button').allInnerTexts();
    const detail = box.locator('.dialog-message-detail');
    return {
      message: (await box.locator('.dialog-message').innerText()).trim(),
      detail: (await detail.count()) > 0 ? (await detail.innerText()).trim() : '',
      buttons: buttons.map((name) => name.trim()).filter((name) => name !== ''),
    };
  }

  /** Presses a button of a modal dialog and waits until the dialog is closed. */
  async answer(button: string): Promise<void> {
    const box = this.#page.locator('.monaco-dialog-box');
    await box.locator('.dialog-buttons').getByText(button, { exact: true }).click();
    await box.waitFor({ state: 'hidden' });
  }
}

/**
 * Returns the state of the given notifications. Runs in the browser page, so it can't use anything else from this
 * module.
 */
function readNotifications(items: PageElement[]): NotificationState[] {
  return items.map((item) => {
    const icon = item.querySelector('.notification-list-item-icon')?.className ?? '';
    const buttons = item.querySelectorAll('.notification-list-item-buttons-container .monaco-text-button');
    return {
      text: item.querySelector('.notification-list-item-message')?.innerText.trim() ?? '',
      severity: (/codicon-(info|warning|error)/.exec(icon)?.[1] ?? 'unknown') as NotificationState['severity'],
      buttons: [...buttons].map((button) => button.innerText.trim()),
    };
  });
}
