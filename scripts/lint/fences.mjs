/**
 * Defines the allowed imports between the parts of `src` (see docs/architecture.md). Each part may always import from
 * itself; everything else that its row doesn't list is forbidden. `types` lists imports that are erased at run time.
 */
const layers = [
  'core/util/displayLimits',
  'core/util',
  'core/model',
  'core/code',
  'core/client',
  'core/store',
  'core/ledger',
  'core/verification',
  'core/tables',
  'core/flows',
  'core/monitor',
];
const core = [...layers, 'core'];
const editor = ['extension/identity', 'extension/words', 'extension/editor', 'extension/notices'];

/** Rows in matching order: the first pattern that matches a file determines its part. */
export const fences = [
  { place: 'contract', files: /^src\/contract\//, packages: ['zod'] },
  { place: 'core', files: /^src\/core\/[^/]+\.ts$/, code: [...layers, 'contract'], node: true },
  // Limits for displayed text, shared by the host and the pages.
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
  { place: 'core/code', files: /^src\/core\/code\//, code: ['core/model', 'core/util'] },
  { place: 'core/store', files: /^src\/core\/store\//, code: ['core/model', 'core/util'] },
  { place: 'core/ledger', files: /^src\/core\/ledger\//, code: ['core/model', 'core/util'], node: true },
  { place: 'core/verification', files: /^src\/core\/verification\//, code: ['core/model', 'core/util'], node: true },
  {
    place: 'core/tables',
    files: /^src\/core\/tables\//,
    code: ['core/model', 'core/util'],
    packages: ['read-excel-file'],
  },
  { place: 'core/flows', files: /^src\/core\/flows\//, code: layers, node: true },
  { place: 'core/monitor', files: /^src\/core\/monitor\//, code: layers },
  {
    place: 'extension',
    files: /^src\/extension\/[^/]+\.ts$/,
    code: [
      ...core,
      ...editor,
      'extension/localService',
      'extension/views',
      'extension/panels',
      'extension/commands',
      'webviews/messages',
      'contract',
    ],
    packages: ['vscode'],
    node: true,
  },
  // Ids of the manifest and of this machine, which the whole extension may use.
  {
    place: 'extension/identity',
    files: /^src\/extension\/editor\/(contributions|machine)\.ts$/,
    code: ['core/model', 'core/util'],
    types: core,
    packages: ['vscode'],
    node: true,
  },
  {
    place: 'extension/words',
    files: /^src\/extension\/words\//,
    code: ['extension/identity', ...core],
    packages: ['vscode'],
  },
  {
    place: 'extension/editor',
    files: /^src\/extension\/editor\//,
    code: ['extension/identity', 'extension/words', ...core],
    types: ['extension/localService'],
    packages: ['vscode'],
    node: true,
  },
  {
    place: 'extension/notices',
    files: /^src\/extension\/notices\//,
    code: ['extension/identity', 'extension/words', 'extension/editor', ...core],
    packages: ['vscode'],
  },
  {
    place: 'extension/localService',
    files: /^src\/extension\/localService\//,
    code: ['extension/identity', 'extension/words', 'extension/editor', ...core],
    packages: ['vscode'],
    node: true,
  },
  {
    place: 'extension/views',
    files: /^src\/extension\/views\//,
    code: ['extension/identity', 'extension/words', 'core/store', 'core/model', 'core/util'],
    types: ['core/flows'],
    packages: ['vscode'],
  },
  {
    place: 'extension/panels',
    files: /^src\/extension\/panels\//,
    code: [...editor, 'webviews/messages', ...core],
    packages: ['vscode'],
    node: true,
  },
  {
    place: 'extension/commands',
    files: /^src\/extension\/commands\//,
    code: [
      ...editor,
      'extension/localService',
      'extension/panels',
      'core/flows',
      'core/code',
      'core/verification',
      'core/tables',
      'core/store',
      'core/model',
      'core/util',
    ],
    types: ['extension/views', 'core/monitor'],
    packages: ['vscode'],
    node: true,
  },
  { place: 'webviews/messages', files: /^src\/webviews\/messages\//, types: ['core/model'] },
  {
    place: 'webviews/shared',
    files: /^src\/webviews\/shared\//,
    code: ['webviews/messages', 'core/util/displayLimits'],
    types: ['core/model'],
    packages: ['@vscode/l10n', 'dompurify', 'markdown-it', 'preact'],
  },
  ...['metadata', 'transfer'].map((page) => ({
    place: `webviews/${page}`,
    files: new RegExp(`^src/webviews/${page}/`),
    code: ['webviews/messages', 'webviews/shared'],
    types: ['core/model'],
    packages: ['@vscode/l10n', 'preact'],
  })),
  { place: 'service', files: /^src\/service\//, code: ['contract', 'core/util'], packages: ['zod'], node: true },
];
