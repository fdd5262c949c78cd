import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import DispatcherClass from 'undici/lib/dispatcher/dispatcher.js';
import api from 'undici/lib/api/index.js';
import type { Limits } from './limits.ts';

// The package's main file would install itself as the dispatcher of everybody's `fetch` in this process;
// its parts do not, but lack these functions.
Object.assign(DispatcherClass.prototype, api);

/** Makes what opens, keeps and closes the connections of one service (D16, D17). The owner destroys it. */
export function makeDispatcher(limits: Limits): Dispatcher {
  return new Agent({
    connect: { timeout: limits.connectMs },
    keepAliveTimeout: limits.idleMs,
    keepAliveMaxTimeout: limits.idleMs,
  });
}
