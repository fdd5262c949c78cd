/** The lint rule that finds text for people that cannot be translated. */

/** What shows its text wherever it is given; elsewhere a text has to look like words. */
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
/** Whose words are read by those who mend the program. */
const errors = /^(Error|TypeError|RangeError|AggregateError)$/;
const log = /(^|\.)log(ger)?$/i;
/** Names and values that are no words, though they may look like some. */
const codeNames = new Set(['class', 'id', 'kind', 'type', 'key', 'command', 'policy', 'paths', 'allowedTags']);
const codeCalls = new Set(['foreign', 'claim']);
/** Shown, but the same in all languages: an address, JSON, the name of a variable, an id. */
const example = /^(https?:|\{|[A-Z_]+$|[\da-f]{8}-)/;

const letters = /\p{L}/u;
const sentence = /[\p{L}\p{N}][,.:;!?…”"')]* [(“"']?\p{L}{2,}/u;
/** Punctuation between two parts has a space before it in some languages. */
const glue = /1[:;?!] 1/;
const capital = /^\p{Lu}\p{Ll}+(…|\.)?$/u;

/** The text of a literal, with a 1 in the place of what is put in; undefined for anything else. */
function textOf(node) {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type !== 'TemplateLiteral') return undefined;
  return node.quasis.map(({ value }) => value.cooked).join('1');
}

function nameOf(node) {
  if (node?.type === 'Identifier') return node.name;
  if (node?.type === 'Literal') return String(node.value);
  return node?.type === 'MemberExpression' && !node.computed ? node.property.name : '';
}

/** The nearest thing around a text that decides what it is for. */
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
  BlockStatement: () => 'unknown',
  ArrowFunctionExpression: () => 'unknown',
};

function purposeIn(parent, child, source) {
  return purposes[parent.type]?.(parent, child, source);
}

/** A property of the options of `l10n.t` is translated, and a property of a thing that is called by a name is no text. */
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

function callPurpose({ callee, arguments: given }, child, source) {
  if (child === callee) return undefined;
  const name = nameOf(callee);
  const isLogged = callee.type === 'MemberExpression' && log.test(source.getText(callee.object));
  if (isLogged || codeCalls.has(name) || isTranslated(callee, name, source)) return 'code';
  if (name === 'element' || name === 'section') return given.indexOf(child) >= elementTexts[name] ? 'shown' : 'code';
  return shownCall.test(name) ? 'shown' : 'unknown';
}

/** From which argument on a maker of elements shows what it is given. */
const elementTexts = { element: 2, section: 1 };

function isTranslated(callee, name, source) {
  return source.getText(callee) === 'l10n.t' || name === 'plural';
}

function isWords(literal, purpose) {
  const text = literal.replaceAll(/\$\([^)]*\)/g, '');
  if (purpose === 'code' || text.startsWith('<') || example.test(text)) return false;
  if (glue.test(text)) return true;
  return letters.test(text) && (purpose === 'shown' || capital.test(text) || sentence.test(text));
}

/** `house/words`: what a person reads goes through `l10n.t` or `plural`. */
export const wordsRule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { words: '"{{text}}" is for people: say it through l10n.t or plural, so that it can be translated.' },
  },
  create({ report, sourceCode }) {
    const check = (node) => {
      const text = textOf(node);
      if (text === undefined || !isWords(text, purposeOf(node, sourceCode))) return;
      report({ node, messageId: 'words', data: { text: text.slice(0, 80) } });
    };
    return { Literal: check, TemplateLiteral: check };
  },
};
