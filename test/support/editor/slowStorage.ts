import type { BrowserContext } from 'playwright-core';

/**
 * Delays the commit of every IndexedDB write in the pages of a browser context by `delayMs` milliseconds. Keeps each
 * transaction open by making read requests in it. A page that is closed or reloaded in the meantime loses the write.
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
