/**
 * The members of a DOM element that the driver uses inside the browser page. The tests are deliberately compiled
 * without the DOM types, so that code that runs in Node.js can't use `window` or `document`.
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
