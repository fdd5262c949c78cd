import type { BrowserContext } from 'playwright-core';

/**
 * Makes every write to IndexedDB take this long in the pages of a browser: a transaction is kept open by reading in it,
 * and so is not committed before. A page that is closed or reloaded in between loses the write.
 */
export async function delayStorage(context: BrowserContext, delayMs: number): Promise<void> {
  await context.addInitScript(`{
    const begin = IDBDatabase.prototype.transaction;
    IDBDatabase.prototype.transaction = function (stores, mode, ...rest) {
      const transaction = begin.call(this, stores, mode, ...rest);
      if (mode !== 'readwrite') return transaction;
      const end = performance.now() + ${delayMs};
      const store = transaction.objectStore(transaction.objectStoreNames[0]);
      const keepOpen = () => {
        if (performance.now() < end) store.count().onsuccess = keepOpen;
      };
      keepOpen();
      return transaction;
    };
  }`);
}
