/** A number in a spreadsheet. */
export class SheetNumber {
  /** The number as text. An integer is written with all its digits, without an exponent, because it may be an ID. */
  readonly text: string;
  /** True if an integer may have lost digits: its magnitude is at least 2^53 or, in scientific notation, 10^15. */
  readonly isRounded: boolean;

  constructor(text: string) {
    const number = Number(text);
    const isInteger = Number.isInteger(number);
    const isShortened = /e/i.test(text) && Math.abs(number) >= 1e15;
    this.isRounded = isInteger && (isShortened || !Number.isSafeInteger(number));
    this.text = isInteger && !/^-?\d+$/.test(text) ? BigInt(number).toString() : text;
  }
}
