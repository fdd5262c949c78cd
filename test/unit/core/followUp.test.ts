import assert from 'node:assert/strict';
import {
  findFollowUp,
  readFollowUp,
  toFollowUp,
  toThenValue,
  type FollowUpStatus,
} from '../../../src/core/util/followUp.ts';
import { readRoot, readStatus } from '../../../src/core/client/responseReaders.ts';
import { describeFollowUp, describePlannedFollowUp } from '../../../src/core/words/followUpWords.ts';
import { english } from '../../../src/cli/text/sentences.ts';

const wording = { l10n: english, toPlainLine: (text: string) => text };

describe('What follows a transfer (D72)', () => {
  it('is one script or one program with a path', () => {
    assert.deepEqual(readFollowUp({ sbatch: '/a' }), { kind: 'sbatch', path: '/a' });
    assert.deepEqual(findFollowUp({ then: { program: 'a' } }), { kind: 'program', path: 'a' });
    for (const value of [
      undefined,
      null,
      'a',
      [],
      {},
      { sbatch: '' },
      { sbatch: 1 },
      { program: 'a\0b' },
      { run: '/a' },
    ])
      assert.equal(readFollowUp(value), undefined);
    assert.equal(readFollowUp({ sbatch: '/a', program: '/b' }), undefined);
    assert.deepEqual(toThenValue({ kind: 'sbatch', path: '/a' }), { sbatch: '/a' });
  });

  it('is a job script if it is named like one', () => {
    const kinds = ['a.sbatch', 'a.SLURM', 'a.sh', 'sbatch'].map((path) => toFollowUp(path).kind);
    assert.deepEqual(kinds, ['sbatch', 'sbatch', 'program', 'program']);
  });

  it('is read only from the status of a local service, and only if it is valid', () => {
    const then = { sbatch: '/a', state: 'submitted', job: '17', problem: 5 };
    assert.deepEqual(readStatus({ id: 'x', then }, true).followUp, {
      kind: 'sbatch',
      path: '/a',
      state: 'submitted',
      job: '17',
    });
    assert.equal(readStatus({ id: 'x', then }).followUp, undefined);
    assert.equal(readStatus({ id: 'x', then: { ...then, state: 'later' } }, true).followUp, undefined);
    assert.equal(readStatus({ id: 'x', then: { state: 'waiting' } }, true).followUp, undefined);
  });

  it('is possible only if the service announces it', () => {
    assert.equal(readRoot({ name: 'a', features: ['instructions.then'] }).canFollowUp, true);
    for (const features of [undefined, null, 'instructions.then', [], ['then']])
      assert.equal(readRoot({ name: 'a', features }).canFollowUp, undefined);
  });

  it('is described with what became of it', () => {
    const describe = (status: Partial<FollowUpStatus>): string =>
      describeFollowUp(wording, { kind: 'program', path: '/lab/a.sh', state: 'waiting', ...status });
    const output = '/data/1.txt';
    assert.equal(
      describePlannedFollowUp(wording, { kind: 'sbatch', path: '/lab/a.sbatch' }),
      'submit the job /lab/a.sbatch',
    );
    assert.equal(describe({}), 'start a.sh');
    assert.equal(describe({ state: 'submitted', job: '17' }), 'submitted a.sh as job 17');
    assert.equal(describe({ state: 'started', output }), 'started a.sh; its output: /data/1.txt');
    assert.equal(
      describe({ state: 'started', problem: 'the service was stopped meanwhile', output }),
      "started a.sh, but its end isn't known (the service was stopped meanwhile); its output: /data/1.txt",
    );
    assert.equal(
      describe({ state: 'ended', exitCode: 3, output }),
      'a.sh has ended with exit code 3; its output: /data/1.txt',
    );
    assert.equal(
      describe({ state: 'ended', problem: 'ended by SIGKILL', output }),
      'a.sh was interrupted (ended by SIGKILL); its output: /data/1.txt',
    );
    assert.equal(describe({ state: 'notStarted', problem: 'it is gone' }), 'a.sh was not started: it is gone');
    assert.equal(describe({ state: 'unclear' }), 'a.sh may have been started, and is not started again');
  });
});
