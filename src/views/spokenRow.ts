import type { TreeItem } from 'vscode';

/**
 * Has a screen reader say what stands in a row, and `state` where only the icon shows it. By itself the editor would
 * have the tooltip read instead, which leaves out what the row is called and spells addresses and ids.
 */
export function spokenRow(item: TreeItem, state = ''): TreeItem {
  const texts = [item.label, state, item.description].filter((text) => typeof text === 'string');
  item.accessibilityInformation = { label: texts.filter(Boolean).join(', ') };
  return item;
}
