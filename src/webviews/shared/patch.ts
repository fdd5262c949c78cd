/**
 * Makes `current` look like `wanted` while keeping every element that stays: its focus, its selection, its scrolling.
 * Children are matched by `data-key`, else by their order and tag. Elements are never moved: one whose key comes later
 * than before is made anew.
 */
export function patch(current: Element, wanted: Element): void {
  patchAttributes(current, wanted);
  const memo = wanted.getAttribute('data-memo');
  if (memo !== null && current.getAttribute('data-done') === memo) return;
  patchChildren(current, wanted);
  if (memo !== null) current.setAttribute('data-done', memo);
}

function patchAttributes(current: Element, wanted: Element): void {
  for (const { name } of [...current.attributes])
    if (name !== 'data-done' && name !== 'style' && !wanted.hasAttribute(name)) current.removeAttribute(name);
  for (const { name, value } of wanted.attributes)
    if (current.getAttribute(name) !== value) current.setAttribute(name, value);
}

function patchChildren(current: Element, wanted: Element): void {
  const keyed = new Map([...current.children].map((child) => [child.getAttribute('data-key'), child]));
  let place = current.firstChild;
  for (const node of [...wanted.childNodes]) {
    const kept = counterpart(place, node, keyed);
    if (kept === undefined) {
      current.insertBefore(node, place);
      continue;
    }
    while (place !== null && place !== kept) place = removed(place);
    place = kept.nextSibling;
    patchNode(kept, node);
  }
  while (place !== null) place = removed(place);
}

/** The node that is there already and is to become `wanted`: the one with its key further on, else the next one. */
function counterpart(
  place: ChildNode | null,
  wanted: ChildNode,
  keyed: Map<string | null, Element>,
): ChildNode | undefined {
  const key = keyOf(wanted);
  if (key === null) return place !== null && keyOf(place) === null && isSameKind(place, wanted) ? place : undefined;
  const found = keyed.get(key);
  // One that was passed over has been removed, and is made anew.
  if (found === undefined || place === null || found.parentNode !== place.parentNode) return undefined;
  if (!isSameKind(found, wanted)) return undefined;
  const isAhead = found === place || (place.compareDocumentPosition(found) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return isAhead ? found : undefined;
}

function keyOf(node: ChildNode): string | null {
  return node instanceof Element ? node.getAttribute('data-key') : null;
}

function isSameKind(one: ChildNode, other: ChildNode): boolean {
  return one.nodeName === other.nodeName;
}

function patchNode(current: ChildNode, wanted: ChildNode): void {
  if (current instanceof Element && wanted instanceof Element) patch(current, wanted);
  else if (current.nodeValue !== wanted.nodeValue) current.nodeValue = wanted.nodeValue;
}

function removed(node: ChildNode): ChildNode | null {
  const next = node.nextSibling;
  node.remove();
  return next;
}
