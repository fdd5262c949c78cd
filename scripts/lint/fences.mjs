/**
 * Who may import whom, as docs/architecture.md says: one row for each place in `src`. What a row does not name is
 * forbidden; a place may always import from itself. `types` are imports that leave nothing at run time.
 */
const layers = [
  'core/util/displayLimits',
  'core/util',
  'core/model',
  'core/client',
  'core/store',
  'core/ledger',
  'core/landed',
  'core/flows',
  'core/monitor',
];
const core = [...layers, 'core'];
const visible = ['host', 'host/words', 'views', 'panels', 'commands', 'messages'];

/** Rows in the order of matching: the first pattern that fits a file gives its place. */
export const fences = [
  {
    place: 'extension',
    files: /^src\/extension\.ts$/,
    code: ['root', ...core, ...visible, 'contract'],
    packages: ['vscode'],
    node: true,
  },
  {
    place: 'root',
    files: /^src\/[^/]+\.ts$/,
    code: [...core, ...visible, 'contract'],
    packages: ['vscode'],
    node: true,
  },
  { place: 'contract', files: /^src\/contract\//, packages: ['zod'] },
  { place: 'core', files: /^src\/core\/[^/]+\.ts$/, code: [...layers, 'contract'], node: true },
  // What is drawn is limited in one place, for the host and for the pages.
  { place: 'core/util/displayLimits', files: /^src\/core\/util\/displayLimits\.ts$/ },
  { place: 'core/util', files: /^src\/core\/util\//, node: true },
  { place: 'core/model', files: /^src\/core\/model\//, code: ['core/util'], types: ['contract'] },
  {
    place: 'core/client',
    files: /^src\/core\/client\//,
    code: ['contract', 'core/model', 'core/util', 'core/util/displayLimits'],
    packages: ['undici', 'zod'],
    node: true,
  },
  { place: 'core/store', files: /^src\/core\/store\//, code: ['core/model', 'core/util'] },
  { place: 'core/ledger', files: /^src\/core\/ledger\//, code: ['core/model', 'core/util'], node: true },
  { place: 'core/landed', files: /^src\/core\/landed\//, code: ['core/model', 'core/util'], node: true },
  { place: 'core/flows', files: /^src\/core\/flows\//, code: layers, node: true },
  { place: 'core/monitor', files: /^src\/core\/monitor\//, code: layers },
  { place: 'messages', files: /^src\/messages\//, types: ['core/model'] },
  {
    place: 'host/words',
    files: /^src\/host\/(contributions|words|searchWords|signInWords|serviceNames)\.ts$/,
    code: ['host', ...core],
    packages: ['vscode'],
  },
  { place: 'host', files: /^src\/host\//, code: ['host/words', ...core], packages: ['vscode'], node: true },
  {
    place: 'views',
    files: /^src\/views\//,
    code: ['host/words', 'core/store', 'core/model', 'core/util'],
    types: ['core/flows'],
    packages: ['vscode'],
  },
  {
    place: 'panels',
    files: /^src\/panels\//,
    code: ['messages', 'host', 'host/words', ...core],
    packages: ['vscode'],
    node: true,
  },
  {
    place: 'commands',
    files: /^src\/commands\//,
    code: ['core/flows', 'core/landed', 'core/store', 'core/model', 'core/util', 'host', 'host/words', 'panels'],
    types: ['views', 'core/monitor'],
    packages: ['vscode'],
    node: true,
  },
  {
    place: 'webviews/shared',
    files: /^src\/webviews\/shared\//,
    code: ['messages', 'core/util/displayLimits'],
    types: ['core/model'],
    packages: ['@vscode/l10n', 'dompurify', 'markdown-it'],
  },
  ...['metadata', 'transfer'].map((page) => ({
    place: `webviews/${page}`,
    files: new RegExp(`^src/webviews/${page}/`),
    code: ['messages', 'webviews/shared'],
    types: ['core/model'],
    packages: ['@vscode/l10n'],
  })),
  { place: 'service', files: /^src\/service\//, code: ['contract', 'core/util'], packages: ['zod'], node: true },
];
