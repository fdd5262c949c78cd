import { Explorer } from '../../core/explorer.ts';
import { resolveNetworkSettings } from '../../core/model/networkSettings.ts';
import { createRedactingLog, type Logger } from '../../core/util/logger.ts';
import { getLedgerFolder, type CommandContext } from '../commandContext.ts';

const networkDefaults = {
  proxy: '',
  noProxy: [],
  proxyAuthorization: '',
  proxySupport: 'override',
  proxyStrictSSL: true,
  systemCertificates: true,
};

/** Options for running the core without an editor. */
interface HeadlessOptions {
  readonly getOrcid: (connectionId: string) => string;
  /** True if the user is waiting for the program. In that case, the program polls as often as a focused window. */
  readonly isForeground: boolean;
}

/** Creates an {@link Explorer} that runs outside an editor. Takes the proxy settings from environment variables. */
export function createHeadlessExplorer(context: CommandContext, { getOrcid, isForeground }: HeadlessOptions): Explorer {
  const { clock, environment } = context;
  return new Explorer({
    clock,
    getOrcid,
    log: createLog(context),
    ledgerFolder: getLedgerFolder(context),
    getTimeoutSeconds: () => undefined,
    getMinIntervalMs: () => 1000,
    hasFocus: () => isForeground,
    getNetworkSettings: () => resolveNetworkSettings(networkDefaults, environment),
    fetch: async (address, init) => await globalThis.fetch(address, init),
    savedDialects: undefined,
    saveDialects: () => undefined,
    savedSearchability: undefined,
    saveSearchability: () => undefined,
    rememberConnection: () => Promise.resolve(),
  });
}

function createLog({ options, output }: CommandContext): Logger {
  const write = (message: string): void => output.note(message);
  const drop = (): void => undefined;
  const isShown = options.verbose === true;
  const log = isShown
    ? { trace: drop, debug: write, info: write, warn: write, error: write }
    : { trace: drop, debug: drop, info: drop, warn: drop, error: drop };
  return createRedactingLog(log);
}
