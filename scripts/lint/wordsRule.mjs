/** The lint rule that reports user-visible text that isn't passed to a translation function. */

/** Names whose strings are always displayed. Under other names, a string is reported only if it looks like prose. */
const shownNames = new Set([
  ...['title', 'label', 'description', 'detail', 'message', 'tooltip', 'placeholder', 'prompt', 'contextualTitle'],
  ...[
    'textContent',
    'innerText',
    'ariaLabel',
    'aria-label',
    'aria-description',
    'aria-valuetext',
    'aria-roledescription',
  ],
  ...['text', 'words', 'question', 'spoken', 'heading', 'openLabel', 'saveLabel', 'valueText', 'why'],
]);
const shownCall = /^(show\w+Message|setStatusBarMessage|announce|createOutputChannel)$/;
/** Errors whose messages are for developers. */
const errors = /^(Error|TypeError|RangeError|AggregateError)$/;
const log = /(^|\.)log(ger)?$/i;
/** Names whose strings are never displayed, even if they look like prose. */
const codeNames = new Set(['class', 'id', 'kind', 'type', 'key', 'command', 'policy', 'paths', 'allowedTags']);
const codeCalls = new Set(['claim', 'matchMedia']);
/** Strings that are displayed but identical in all languages: a URL, JSON, the name of a variable, an ID. */
const example = /^(https?:|\{|[A-Z_]+$|[\da-f]{8}-)/;

const letters = /\p{L}/u;
const sentence = /[\p{L}\p{N}][,.:;!?…”"')]* [(“"']?\p{L}{2,}/u;
/** Matches punctuation between two values. Some languages put a space before it, so it must be translated. */
const glue = /1[:;?!] 1/;
const capital = /^\p{Lu}\p{Ll}+(…|\.)?$/u;

/** Returns the text of a literal, with a 1 in place of each substitution; undefined for other nodes. */
function textOf(node) {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'JSXText') return node.value.trim();
  if (node.type !== 'TemplateLiteral') return undefined;
  return node.quasis.map(({ value }) => value.cooked).join('1');
}

function nameOf(node) {
  if (node?.type === 'Identifier') return node.name;
  if (node?.type === 'Literal') return String(node.value);
  return node?.type === 'MemberExpression' && !node.computed ? node.property.name : '';
}

/** Returns the purpose of a string: that of the nearest enclosing node with a known purpose, otherwise 'unknown'. */
function purposeOf(node, source) {
  for (let [child, parent] = [node, node.parent]; parent; [child, parent] = [parent, parent.parent]) {
    const known = purposeIn(parent, child, source);
    if (known) return known;
  }
  return 'unknown';
}

const purposes = {
  CallExpression: (parent, child, source) => callPurpose(parent, child, source),
  NewExpression: ({ callee }) => (errors.test(nameOf(callee)) ? 'code' : 'unknown'),
  Property: propertyPurpose,
  AssignmentExpression: ({ left }) => namePurpose(nameOf(left)),
  VariableDeclarator: ({ id }) => namePurpose(nameOf(id)),
  PropertyDefinition: ({ key }, child) => (child === key ? 'code' : namePurpose(nameOf(key))),
  BinaryExpression: ({ operator }) => (operator === '+' ? undefined : 'code'),
  ConditionalExpression: ({ test }, child) => (child === test ? 'code' : undefined),
  MemberExpression: ({ property }, child) => (child === property ? 'code' : undefined),
  SwitchCase: () => 'code',
  ImportDeclaration: () => 'code',
  ImportExpression: () => 'code',
  ExportAllDeclaration: () => 'code',
  ExportNamedDeclaration: (parent, child) => (child === parent.source ? 'code' : 'unknown'),
  TSLiteralType: () => 'code',
  TSEnumMember: () => 'code',
  JSXAttribute: ({ name }) => namePurpose(name.name),
  JSXElement: () => 'shown',
  JSXFragment: () => 'shown',
  BlockStatement: () => 'unknown',
  ArrowFunctionExpression: () => 'unknown',
};

function purposeIn(parent, child, source) {
  return purposes[parent.type]?.(parent, child, source);
}

/** Treats the options of `l10n.t`, and the properties of any object named in `codeNames`, as code. */
function propertyPurpose({ key, value, parent }, child, source) {
  if (child !== value) return 'code';
  const call = parent.parent;
  if (call.type === 'CallExpression' && isTranslated(call.callee, nameOf(call.callee), source)) return 'code';
  const owner = parent.parent.type === 'TSAsExpression' ? parent.parent.parent : parent.parent;
  if (owner.type === 'VariableDeclarator' && codeNames.has(nameOf(owner.id))) return 'code';
  return namePurpose(nameOf(key));
}

function namePurpose(name) {
  if (shownNames.has(name)) return 'shown';
  return codeNames.has(name) ? 'code' : 'unknown';
}

function callPurpose({ callee }, child, source) {
  if (child === callee) return undefined;
  const name = nameOf(callee);
  const isLogged = callee.type === 'MemberExpression' && log.test(source.getText(callee.object));
  if (isLogged || codeCalls.has(name) || isTranslated(callee, name, source)) return 'code';
  return shownCall.test(name) ? 'shown' : 'unknown';
}

function isTranslated(callee, name, source) {
  return source.getText(callee) === 'l10n.t' || name === 'plural';
}

function isWords(literal, purpose) {
  const text = literal.replaceAll(/\$\([^)]*\)/g, '');
  if (purpose === 'code' || text.startsWith('<') || example.test(text)) return false;
  if (glue.test(text)) return true;
  return letters.test(text) && (purpose === 'shown' || capital.test(text) || sentence.test(text));
}

/** `house/words`: requires user-visible text to go through `l10n.t` or `plural`. */
export const wordsRule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { words: '"{{text}}" looks like user-visible text: pass it to l10n.t or plural for translation.' },
  },
  create({ report, sourceCode }) {
    const check = (node) => {
      const text = textOf(node);
      if (text === undefined || !isWords(text, purposeOf(node, sourceCode))) return;
      report({ node, messageId: 'words', data: { text: text.slice(0, 80) } });
    };
    return { Literal: check, JSXText: check, TemplateLiteral: check };
  },
};
