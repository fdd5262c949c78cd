import type { Page } from 'playwright-core';
import { until } from './until.ts';

/** Prepares a page for {@link holdMessages}. Must be called before the page loads. */
export async function prepareHolding(page: Page): Promise<void> {
  await page.addInitScript(`if (window === top) {
    let phrases;
    let texts = [];
    window.holdMessages = (...ends) => { phrases = ends; texts = []; };
    window.hasHeldMessage = (text) => texts.some((one) => one.includes(text));
    window.WebSocket = class extends WebSocket {
      addEventListener(type, listener, ...options) {
        if (type !== 'message') return super.addEventListener(type, listener, ...options);
        let held = [];
        let delivered = Promise.resolve();
        const deliver = async ({ data }) => {
          held.push(data);
          if (phrases) {
            const text = await new Blob([data]).text();
            texts.push(text);
            if (!phrases.some((one) => text.includes(one))) return;
          }
          phrases = undefined;
          const joined = new Blob(held);
          held = [];
          listener({ data: joined });
        };
        super.addEventListener(type, (event) => { delivered = delivered.then(() => deliver(event)); }, ...options);
      }
    };
  }`);
}

/**
 * Holds back all messages that a window receives from its server until a message contains one of `texts`. Then delivers
 * all of them at once, as can happen on a busy machine or a slow network.
 */
export async function holdMessages(page: Page, ...texts: readonly string[]): Promise<void> {
  await page.evaluate(`holdMessages(...${JSON.stringify(texts)})`);
}

/** Waits until a message that contains the given text is held back. */
export async function waitForHeldMessage(page: Page, text: string): Promise<void> {
  const isHeld = (): Promise<boolean> => page.evaluate(`hasHeldMessage(${JSON.stringify(text)})`);
  await until(`a held message with ${text}`, async () => (await isHeld()) || undefined);
}
