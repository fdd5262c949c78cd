import type { Transfer } from '../../../src/core/model/transferModel.ts';
import { orcid } from '../../support/explorerDependencies.ts';

/** Returns a transfer with a key in the form that the extension creates. */
export function createRecord(
  number: number,
  more: Partial<{ [F in keyof Transfer]: Transfer[F] | undefined }> = {},
): Transfer {
  const state = more.state ?? 'succeeded';
  const createdAt = Date.UTC(2026, 0, 1, 0, 0, 0, number);
  const { changes = [{ state, at: createdAt }], ...others } = more;
  const record = {
    key: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    order: { connectionId: 'kbase', orcid, source: 'A', destination: 'B', files: [{ id: 'f', name: 'f.csv' }] },
    createdAt,
    id: `id-${String(number)}`,
    ...others,
    state,
    changes,
  };
  return JSON.parse(JSON.stringify(record)) as Transfer;
}
