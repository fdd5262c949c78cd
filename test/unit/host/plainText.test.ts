import assert from 'node:assert/strict';
import { cutPlainText } from '../../../src/extension/words/plainText.ts';

describe('A text that is shown before it is confirmed', () => {
  it('is complete if it is short', () => {
    assert.deepEqual(cutPlainText('For the\natlas', 20), { text: 'For the atlas', hiddenLength: 0 });
    assert.deepEqual(cutPlainText('x'.repeat(20), 20), { text: 'x'.repeat(20), hiddenLength: 0 });
  });

  it('states how many characters are not shown', () => {
    assert.deepEqual(cutPlainText('x'.repeat(10_000), 200), { text: `${'x'.repeat(199)}…`, hiddenLength: 9_801 });
    assert.deepEqual(cutPlainText(`${'x'.repeat(8)}🧬y`, 10), { text: `${'x'.repeat(8)}…`, hiddenLength: 3 });
  });

  it('shows or counts what follows invisible characters', () => {
    assert.deepEqual(cutPlainText(`Atlas${'\u200b'.repeat(5_000)}, and more`, 20), {
      text: 'Atlas, and more',
      hiddenLength: 5_000,
    });
    const tags = Array.from('delete', (letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join(
      '',
    );
    assert.deepEqual(cutPlainText(`keep${tags}\u200b it`, 20), { text: 'keep it', hiddenLength: 7 });
    assert.deepEqual(cutPlainText('خانه\u200cها 👩\u200d🔬', 20), { text: 'خانهها 👩🔬', hiddenLength: 0 });
    assert.deepEqual(cutPlainText(`Atlas${'\n'.repeat(5_000)}${'x'.repeat(100)}`, 10), {
      text: 'Atlas xxx…',
      hiddenLength: 97,
    });
  });

  it('contains no run of spaces, which could look like the end of a line', () => {
    const padded = `Atlas${' '.repeat(300)}To:\u3164\u{1D159}\u2800Beta\u00a0\u3000 Gamma`;
    assert.deepEqual(cutPlainText(padded, 200), { text: 'Atlas To: Beta Gamma', hiddenLength: 0 });
  });
});
