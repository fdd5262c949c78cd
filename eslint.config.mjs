import js from '@eslint/js';
import { importX } from 'eslint-plugin-import-x';
import sonarjs from 'eslint-plugin-sonarjs';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { docsRule } from './scripts/lint/docsRule.mjs';
import { fenceRule } from './scripts/lint/fenceRule.mjs';
import { wordsRule } from './scripts/lint/wordsRule.mjs';

const nodeGlobals = Object.fromEntries(
  [
    'process',
    'console',
    'performance',
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'Buffer',
    'URL',
    'fetch',
    'AbortSignal',
  ].map((name) => [name, 'readonly']),
);

/** Forbids the `recursive` option of `mkdir`, with which Node.js never returns below some folders, such as `/proc`. */
const recursiveFolders = {
  selector:
    'CallExpression:matches([callee.name=/^mkdir/], [callee.property.name=/^mkdir/]) Property[key.name="recursive"]',
  message: 'Use createFolder from core/util.',
};

/** Forbids an object literal within another one, as in `{ ...{ a, b }, c }`, which only saves lines. */
const spreadLiteral = {
  selector:
    'SpreadElement > ObjectExpression, SpreadElement > :matches(TSAsExpression, TSSatisfiesExpression) > ObjectExpression',
  message: 'List the properties in the object itself.',
};

const forbiddenEndings = /(Manager|Helper|Util|Controller)$/.source;

export default defineConfig(
  globalIgnores(['dist/', 'node_modules/', '.demo/', '.stryker-tmp/', 'test-results/', 'coverage/']),
  js.configs.recommended,
  {
    plugins: { sonarjs, 'import-x': importX },
    linterOptions: { reportUnusedDisableDirectives: 'error', noInlineConfig: true },
    rules: {
      'max-lines': ['error', 500],
      'max-lines-per-function': ['error', 50],
      'sonarjs/cognitive-complexity': ['error', 10],
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'no-console': 'error',
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true, allowRegExp: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      '@typescript-eslint/naming-convention': [
        'error',
        { selector: 'typeLike', format: ['PascalCase'], custom: { regex: forbiddenEndings, match: false } },
        { selector: 'interface', format: ['PascalCase'], custom: { regex: '^I[A-Z]', match: false } },
        { selector: 'variableLike', format: ['camelCase', 'PascalCase'], leadingUnderscore: 'forbid' },
        { selector: 'variable', modifiers: ['destructured'], format: null },
        { selector: 'parameter', modifiers: ['unused'], format: null },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    plugins: { house: { rules: { docs: docsRule, fences: fenceRule, words: wordsRule } } },
    rules: {
      'house/docs': 'error',
      'house/fences': 'error',
      'import-x/no-default-export': 'error',
      'no-restricted-globals': [
        'error',
        { name: 'fetch', message: 'Send requests through core/client/clientSession.ts.' },
      ],
      'no-restricted-syntax': ['error', recursiveFolders, spreadLiteral],
    },
  },
  {
    files: ['src/{extension,webviews}/**/*.{ts,tsx}'],
    // Diagnostics are for developers, and the reasons why a service did not start are shown untranslated. The launchers
    // in `commandLineFiles.ts` are source code.
    ignores: [
      'src/extension/editor/diagnostics.ts',
      'src/extension/editor/commandLineFiles.ts',
      'src/extension/localService/{serviceLink,serviceRecord}.ts',
    ],
    rules: { 'house/words': 'error' },
  },
  {
    files: ['src/extension/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        recursiveFolders,
        spreadLiteral,
        ...[
          "MemberExpression[property.name='client']",
          "MemberExpression[property.value='client']",
          "ObjectPattern > Property[key.name='client']",
        ].map((selector) => ({ selector, message: 'Only flows may use the client of a connection: extend a flow.' })),
      ],
    },
  },
  { files: ['src/**/*.d.ts'], rules: { 'import-x/no-default-export': 'off' } },
  {
    files: ['{test,bench,scripts}/**/*.{ts,tsx,mjs}', 'esbuild.mjs'],
    rules: { 'no-restricted-syntax': ['error', spreadLiteral] },
  },
  {
    files: ['scripts/**', 'bench/**', 'test/**', 'src/service/main.ts', 'esbuild.mjs'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'no-control-regex': 'off',
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', name: ['it', 'describe', 'test'], package: 'node:test' }] },
      ],
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: { globals: { ...nodeGlobals, require: 'readonly', exports: 'writable', module: 'writable' } },
  },
);
