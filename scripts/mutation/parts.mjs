const core = (...names) => names.map((name) => `test/unit/core/${name}.test.ts`);
const service = (...names) => names.map((name) => `test/unit/service/${name}.test.ts`);

/**
 * The parts of the code that can be mutated. Each part lists the files to change, and the tests that should detect the
 * changes, fastest first. With `isQuick`, property tests try only a few values, because each run takes a long time.
 */
export const parts = {
  arguments: { changed: ['src/core/client/request.ts'], tests: ['test/unit/client/*rgument*.test.ts'] },
  monitor: {
    changed: ['src/core/transfers/{estimates,pollQueue,statusUpdates,transferMonitor}.ts'],
    tests: [
      ...core('pollSchedule', 'progressEstimate', 'estimates', 'statusUpdates', 'pollQueue', 'leaseElection'),
      ...core('transferMonitor', 'monitor'),
    ],
  },
  ledger: {
    changed: [
      'src/core/transfers/{*[lL]edger*,*[rR]ecord*,saved*,notification*,plan*,polling*,*Marker,serverLocks}.ts',
    ],
    tests: [
      ...core(
        'transferRecord',
        'transferMerge',
        'unsavedRecords',
        'ledgerWatch',
        'windowMessages',
        'notificationClaims',
      ),
      ...core('ledgerFiles', 'ledger', 'pollingLease'),
    ],
  },
  recipes: {
    changed: ['src/core/recipes/**/*.ts'],
    tests: [
      ...core(
        'nearestName',
        'pathPattern',
        'parseRecipe',
        'savedRecipe',
        'compareFiles',
        'recipeSources',
        'writtenLock',
        'recipeLock',
        'planRecipe',
      ),
      'test/unit/tooling/recipeSchema.test.ts',
    ],
  },
  citations: {
    changed: ['src/core/citations/**/*.ts', 'src/core/util/spdxLicense.ts'],
    tests: core('licenses', 'citedPeople', 'citedFields', 'citedReferences', 'citations', 'citationFormats'),
    isQuick: true,
  },
  agents: {
    changed: ['src/core/agents/**/*.ts'],
    tests: [
      ...core(
        'textOrigin',
        'firstPlanWatch',
        'agentPlans',
        'agentRecords',
        'agentAnswers',
        'agentTransfers',
        'agentStatus',
        'agentTools',
        'callQueue',
      ),
      'test/unit/tooling/agentManifest.test.ts',
    ],
  },
  stores: {
    changed: ['src/service/stores/storeBatches.ts', 'src/service/transfers/{folderFiles,move*,store*}.ts'],
    tests: service(
      'batchFolder',
      'storeCopy',
      'hostileNames',
      'storeToStore',
      'storeDownload',
      'storeDownloadFaults',
      'storeUpload',
    ),
  },
};
