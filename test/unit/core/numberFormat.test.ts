import assert from 'node:assert/strict';
import {
  formatDuration,
  formatIsoTime,
  formatNumber,
  parseNumberFormat,
} from '../../../src/core/tables/numberFormat.ts';

describe('Formatting the numbers of a spreadsheet', () => {
  for (const [format, stored, text] of [
    ['yyyy\\-mm\\-dd', '44350', '2021-06-03'],
    ['yyyy-mm-dd', '44350.999999', '2021-06-03'],
    ['yyyy-mm-dd h:mm:ss', '44350.41666666666', '2021-06-03T10:00:00'],
    ['yyyy-mm-dd h:mm:ss', '44351', '2021-06-04T00:00:00'],
    ['yyyy-mm-dd hh:mm:ss.000', '44350.416668981', '2021-06-03T10:00:00.2'],
    ['[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', '44350', '2021-06-03'],
    ['mmm\\-yy', '44350', '2021-06-03'],
    ['h:mm AM/PM', '0.5625', '13:30:00'],
    ['h:mm', '44350.5', '12:00:00'],
    ['[h]:mm:ss', '1.1041666666667', '26:30:00'],
    ['mm:ss.0', '0.00001736111', '00:00:01.5'],
    ['yyyy-mm-dd', '1', '1900-01-01'],
    ['yyyy-mm-dd', '59', '1900-02-28'],
    ['yyyy-mm-dd', '60', '1900-02-29'],
    ['yyyy-mm-dd', '61', '1900-03-01'],
    ['yyyy-mm-dd', '2958465', '9999-12-31'],
    ['yyyy-mm-dd', '2958466', '2958466'],
    ['yyyy-mm-dd', '-1', '-1'],
    ['General', '1.10000000000000000002', '1.1'],
    ['General', '1.5E+3', '1500'],
    ['0.00', '12', '12'],
    ['0%', '0.125', '0.125'],
    ['#,##0', '1234567', '1234567'],
    ['0', '12', '12'],
    ['@', 'abc', 'abc'],
    ['#,##0', '-5', '-5'],
    ['_-* #,##0_-', '5', '5'],
    ['0;\\-0;"none"', '-5', '-5'],
    ['#,##0\\ ;\\-#,##0\\ ', '-5', '-5'],
    ['#,##0;(#,##0)', '-1234', '-1234'],
    ['0;[Red]-0;0;@', '0', '0'],
    ['0;@', '-5', '-5'],
    ['0.0;-0.0;0', '0', '0'],
    ['[Red]', '0', '0'],
    ['yyyy-mm-dd;@', '44350', '2021-06-03'],
  ] as const) {
    it(`writes ${stored} in the format ${format} as ${text}`, () => {
      assert.deepEqual(formatNumber(stored, parseNumberFormat(format)), { text });
    });
  }

  for (const [format, stored, text] of [
    ['0000', '12', '0012'],
    ['0000;\\-0000', '12', '0012'],
    ['[Red]0000', '123456', '0123456'.slice(1)],
    ['"SRR"0000000', '17001', 'SRR0017001'],
    ['[$JDP:-409]0', '12', 'JDP:12'],
    ['000\\-00\\-0000', '123456789', '123-45-6789'],
    ['\\S#', '7', 'S7'],
    ['"SRR"General', '12', 'SRR12'],
    ['"SRR"@', '12', 'SRR12'],
    ['"SRR"?', '12', 'SRR12'],
    ['General"_R1"', '12', '12_R1'],
    ['0;"neg "00', '-5', 'neg 05'],
    ['0;(000)', '-5', '(005)'],
    ['0;-0;"SRR"00', '0', 'SRR00'],
  ] as const) {
    it(`doubts ${stored} in the format ${format}, which shows ${text}`, () => {
      const doubt = { kind: 'padded', other: stored };
      const shown = text === stored ? { text } : { text, doubt };
      assert.deepEqual(formatNumber(stored, parseNumberFormat(format)), shown);
    });
  }

  for (const [format, stored] of [
    ['"SRR"#,##0', '17001'],
    ['"SRR"0.', '12'],
    ['"v"0.0', '1.5'],
    ['"v"General', '1.5'],
    ['0 "d"', '0.5'],
    ['\\S0', '-12'],
    ['[<100]"A"000;"B"0', '12'],
    ['[$JDP:-409]#,##0', '12'],
    ['[>=100]0;"B"0', '12'],
    ['"#"0E+0', '12'],
    ['[<100]000;0', '12'],
    ['0;[<-5]0', '12'],
    ['[<1]h:mm;yyyy', '12'],
    ['"SRR"??', '12'],
    ['[Red][<5]000;"B"0', '12'],
    ['0;-0;"none"', '0'],
    ['_-* #,##0_-;-* #,##0_-;_-* "-"_-;_-@_-', '0'],
    ['0;-0;', '0'],
    ['0;;0', '-5'],
    [';;;', '12'],
    ['0;"neg "0.0', '-5'],
  ] as const) {
    it(`doubts what ${stored} shows in the format ${format}`, () => {
      assert.deepEqual(formatNumber(stored, parseNumberFormat(format)), { text: stored, doubt: { kind: 'formatted' } });
    });
  }

  for (const [stored, text] of [
    ['1000000000000000', '1000000000000000'],
    ['1.23456789012345E+15', '1234567890123450'],
    ['9007199254740993', '9007199254740993'],
    ['1.234567890123457E+18', '1234567890123457024'],
    ['-9007199254740993', '-9007199254740993'],
  ] as const) {
    it(`doubts that ${stored} has all its digits`, () => {
      assert.deepEqual(formatNumber(stored), { text, doubt: { kind: 'rounded' } });
    });
  }

  it('does not doubt integers of 15 and 16 digits', () => {
    for (const text of ['999999999999990', '1000000000000001', '9007199254740991'])
      assert.deepEqual(formatNumber(text), { text });
  });

  it('counts days from 1904 where a workbook does', () => {
    const format = parseNumberFormat('yyyy-mm-dd');
    assert.deepEqual(
      ['0', '42888'].map((stored) => formatNumber(stored, format, true).text),
      ['1904-01-01', '2021-06-03'],
    );
  });

  it('parses a format of any length quickly', () => {
    assert.equal(parseNumberFormat('['.repeat(1_000_000)).hasDate, false);
  });

  it('removes artifacts of computed times', () => {
    assert.deepEqual(
      ['2021-06-03T09:59:59.999999999', '13:45:00.500', '2021-06-03', '10:00:00.0001'].map(formatIsoTime),
      ['2021-06-03T10:00:00', '13:45:00.5', '2021-06-03', '10:00:00'],
    );
    assert.deepEqual(['PT26H30M00S', 'PT09H59M59.999999999S', 'P1D'].map(formatDuration), [
      '26:30:00',
      '10:00:00',
      'P1D',
    ]);
  });
});
