import type { RecipeLock } from '../../../src/core/recipes/recipeLock.ts';
import type { Transfer, TransferOrder } from '../../../src/core/model/transferModel.ts';
import { orcid } from '../../support/explorerDependencies.ts';

/** An order for a transfer of no files from A to B. */
export const order: TransferOrder = { connectionId: 'c', orcid, source: 'A', destination: 'B', files: [] };

/** A transfer that is being submitted. */
export const submittingTransfer: Transfer = {
  key: 'one',
  order,
  createdAt: 0,
  state: 'submitting',
  changes: [{ state: 'submitting', at: 0 }],
};

/** A transfer that the service has accepted and that has been active since time 0. */
export const running: Transfer = {
  ...submittingTransfer,
  key: 'k',
  id: 'id',
  state: 'active',
  changes: [{ state: 'active', at: 0 }],
};

/** The lock of a recipe whose last run found no files. */
export const emptyLock: RecipeLock = {
  version: 1,
  recipe: 'reads.transfer.json',
  service: { name: 'Lab', address: 'https://lab.example.org', version: '1.2.3' },
  from: 'plants',
  to: 'archive',
  transfer: { id: '6a0f0b3e-0000-4000-8000-000000000001', submitted: '2026-11-22T10:00:00.000Z' },
  files: [],
};
