import type { Explorer } from '../core/explorer.ts';

type CoreServiceName =
  | 'connectionStore'
  | 'searchStore'
  | 'transferStore'
  | 'sessions'
  | 'keys'
  | 'monitor'
  | 'testDependencies'
  | 'connectFlow'
  | 'searchFlow'
  | 'parameterFlow'
  | 'metadataFlow'
  | 'tableMatchFlow'
  | 'recipeFlow'
  | 'transferFlow'
  | 'trackFlow'
  | 'duplicateFlow';

/** Returns the core services that the commands and tests use. */
export function getCoreServices(core: Explorer): Pick<Explorer, CoreServiceName> {
  const { connectionStore, searchStore, transferStore, sessions, keys, monitor, testDependencies } = core;
  const { connectFlow, searchFlow, parameterFlow, metadataFlow, tableMatchFlow } = core;
  const { recipeFlow, transferFlow, trackFlow, duplicateFlow } = core;
  return {
    connectionStore,
    searchStore,
    transferStore,
    sessions,
    keys,
    monitor,
    testDependencies,
    connectFlow,
    searchFlow,
    parameterFlow,
    metadataFlow,
    tableMatchFlow,
    recipeFlow,
    transferFlow,
    trackFlow,
    duplicateFlow,
  };
}
