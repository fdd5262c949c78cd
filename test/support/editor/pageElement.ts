/**
 * The members of a DOM element that the driver uses inside the browser page. The tests deliberately exclude the DOM
 * types, because code that runs in Node.js must not compile against `window` or `document`.
 */
export interface PageElement {
  readonly className: string;
  readonly innerText: string;
  readonly offsetHeight: number;
  readonly offsetParent: unknown;
  readonly parentElement: PageElement | null;
  readonly placeholder: string;
  readonly value: string;
  readonly disabled: boolean;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  getAttribute(name: string): string | null;
}
