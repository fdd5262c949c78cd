import type { Page } from 'playwright-core';

/** Lets {@link holdMessages} delay what a window receives from its server. Must be called before the page loads. */
export async function prepareHolding(page: Page): Promise<void> {
  await page.addInitScript(`if (window === top) {
    let phrase;
    window.holdMessages = (text) => { phrase = text; };
    window.WebSocket = class extends WebSocket {
      addEventListener(type, listener, ...options) {
        if (type !== 'message') return super.addEventListener(type, listener, ...options);
        let held = [];
        let delivered = Promise.resolve();
        const deliver = async ({ data }) => {
          held.push(data);
          if (phrase !== undefined && !(await new Blob([data]).text()).includes(phrase)) return;
          phrase = undefined;
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
 * Holds everything that a window receives from its server until a message contains this text. Then delivers all of it at
 * once, as a busy machine or a slow network may do.
 */
export async function holdMessages(page: Page, text: string): Promise<void> {
  await page.evaluate(`holdMessages(${JSON.stringify(text)})`);
}
