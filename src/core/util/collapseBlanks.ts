/** Replaces each run of blank characters, including those that aren't white space in Unicode, with one space. */
export function collapseBlanks(text: string): string {
  return text.replace(/[\s\u115F\u1160\u2800\u3164\uFFA0\u{1D159}]+/gu, ' ');
}
