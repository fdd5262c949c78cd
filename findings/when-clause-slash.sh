#!/usr/bin/env bash
# A value that begins with a slash makes a VS Code `when` clause invalid, and an invalid clause is always true.
#
# Most people would guess that `resourceDirname == /match`, written like `resourceScheme == data-transfer`, compares
# with the text "/match", or that a clause which can't be parsed hides its menu item and is reported to its author.
# Instead, the slash starts a regular expression, the whole clause is dropped without an error, and the item is shown
# in every menu of its place. A slash inside the value (`a == b/c`) is fine, and so are quotation marks.
#
# Seen with: monaco-editor 0.55.1 (the same parser and service as VS Code's), bundled by esbuild 0.25.0.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund monaco-editor@0.55.1 esbuild@0.25.0 >/dev/null 2>&1

# The service's module reads a few properties of a browser when it is loaded.
cat >browser.mjs <<'EOF'
const listen = { addEventListener: () => undefined };
Object.assign(globalThis, listen, { window: globalThis, location: { href: 'http://localhost/' } });
globalThis.navigator ??= { userAgent: '' };
globalThis.matchMedia = () => ({ matches: false, ...listen });
globalThis.document = { createElement: () => ({}), head: {}, body: {}, documentElement: {}, ...listen };
EOF
cat >probe.mjs <<'EOF'
import './browser.mjs';
import { ContextKeyExpr } from 'monaco-editor/esm/vs/platform/contextkey/common/contextkey.js';
import { AbstractContextKeyService } from 'monaco-editor/esm/vs/platform/contextkey/browser/contextKeyService.js';

// What a menu asks for each of its items, in a context in which no key has a value.
const service = { _isDisposed: false, getContextValuesContainer: () => ({ getValue: () => undefined }) };
const isShown = (clause) =>
  AbstractContextKeyService.prototype.contextMatchesRules.call(service, ContextKeyExpr.deserialize(clause));

for (const clause of ["scheme == results && folder == '/match'", 'scheme == results && folder == /match', 'folder == a/b'])
  console.log(`${clause}: ${ContextKeyExpr.deserialize(clause) ? 'parsed' : 'not parsed'}, ${isShown(clause) ? 'shown' : 'hidden'}`);
EOF
npx esbuild probe.mjs --bundle --platform=node --format=esm --outfile=bundle.mjs --log-level=error
seen=$(node bundle.mjs)
echo "$seen"

expected="scheme == results && folder == '/match': parsed, hidden
scheme == results && folder == /match: not parsed, shown
folder == a/b: parsed, hidden"
[[ $seen == "$expected" ]] || { echo "The behavior has changed. Expected:" && echo "$expected" && exit 1; }
