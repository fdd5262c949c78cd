import { parentPort, Worker, workerData as threadData, type MessagePort } from 'node:worker_threads';
import type { Logger } from '../../core/util/logger.ts';
import { CatalogAnswers } from './catalogAnswers.ts';
import { FolderReader, type AskedReader } from './folderReader.ts';
import { answerCalls, ThreadCalls } from './threadCalls.ts';
import { threadLimits, type LoggedLine, type ThreadRole } from './threadRole.ts';

/** The thread that reads folders. */
function serveReading(port: MessagePort): void {
  answerCalls(port, new FolderReader());
}

/** The thread that keeps the catalogues; it has the other one for itself. */
function serveCatalogues(port: MessagePort, program: string): void {
  const workerData: ThreadRole = { role: 'reading', program };
  const reading = new Worker(program, { workerData, resourceLimits: threadLimits });
  const calls = new ThreadCalls<FolderReader>(reading);
  // Without it there are no catalogues: this thread ends too, and whoever needs it starts both again.
  reading.on('error', (error) => {
    throw error;
  });
  const reader: AskedReader = {
    ready: async () => await calls.ask('ready'),
    walk: async (folder, under) => await calls.ask('walk', folder, under),
    next: async (walk) => await calls.ask('next', walk),
    stop: async (walk) => await calls.ask('stop', walk),
    look: async (folder, paths) => await calls.ask('look', folder, paths),
  };
  answerCalls(port, new CatalogAnswers(reader, loggerTo(port)));
}

function loggerTo(port: MessagePort): Logger {
  const log =
    (level: keyof Logger) =>
    (line: string): void =>
      port.postMessage({ level, line } satisfies LoggedLine);
  return { trace: log('trace'), debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

const { role, program } = threadData as ThreadRole;
if (parentPort && role === 'reading') serveReading(parentPort);
else if (parentPort) serveCatalogues(parentPort, program);
