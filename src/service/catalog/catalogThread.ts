import type { MessagePort } from 'node:worker_threads';
import { systemClock } from '../../core/util/clock.ts';
import type { Logger } from '../../core/util/logger.ts';
import { handleCalls, startThread, ThreadCalls, type LoggedLine } from '../threads/threadCalls.ts';
import { CatalogHandlers } from './catalogHandlers.ts';
import { ReadingThreads, type FolderReader, type ThreadReader } from './folderReader.ts';

/** Handles the calls that a {@link CatalogThread} sends through a port. */
export function serveCatalogs(port: MessagePort): void {
  const logger = createPortLogger(port);
  const reader = new ReadingThreads({ start: startReader, clock: systemClock, logger });
  handleCalls(port, new CatalogHandlers(reader, logger));
}

function startReader(): ThreadReader {
  const thread = startThread('reading');
  const calls = new ThreadCalls<FolderReader>(thread);
  // Catalogs can't work without the reader. If it fails, this thread ends too, and the next request starts a new one.
  thread.on('error', (error) => {
    throw error;
  });
  return {
    ready: async () => await calls.call('ready'),
    walk: async (folder, under) => await calls.call('walk', folder, under),
    next: async (walk) => await calls.call('next', walk),
    stop: async (walk) => await calls.call('stop', walk),
    inspectPaths: async (folder, paths) => await calls.call('inspectPaths', folder, paths),
    end: () => void thread.terminate(),
  };
}

function createPortLogger(port: MessagePort): Logger {
  const log =
    (level: keyof Logger) =>
    (line: string): void =>
      port.postMessage({ level, line } satisfies LoggedLine);
  return { trace: log('trace'), debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}
