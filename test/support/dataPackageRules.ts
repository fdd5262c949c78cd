type Json = Readonly<Record<string, unknown>>;

/** A rule of the Data Package standard: the description of a violation, and a function that checks a value. */
type Rule = readonly [broken: string, isKept: (value: Json) => boolean];

const nameForm = /^[-a-z0-9._/]+$/;
const hashForm = /^([^:\s]+:[a-fA-F0-9]+|[a-fA-F0-9]{32})$/;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isAbsent(value: unknown): boolean {
  return value === undefined;
}

function isSafePath(value: unknown): boolean {
  return isText(value) && !value.startsWith('/') && !value.includes('\\') && !value.split('/').includes('..');
}

function isListOfObjects(value: unknown, field: string): boolean {
  return Array.isArray(value) && value.every((one: unknown) => isText((one as Json | null)?.[field]));
}

const packageRules: readonly Rule[] = [
  [
    'name is not of small letters, digits, ".", "_", "-" and "/"',
    ({ name }) => isAbsent(name) || nameForm.test(String(name)),
  ],
  ['profile is no text', ({ profile }) => isAbsent(profile) || isText(profile)],
  ['id is no text', ({ id }) => isAbsent(id) || isText(id)],
  ['created is no time', ({ created }) => isAbsent(created) || /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(String(created))],
  [
    'keywords is no list of texts',
    ({ keywords }) => isAbsent(keywords) || (Array.isArray(keywords) && keywords.every(isText)),
  ],
  ['description is no text', ({ description }) => isAbsent(description) || isText(description)],
  ['resources is no list, or an empty one', ({ resources }) => Array.isArray(resources) && resources.length > 0],
];

const resourceRules: readonly Rule[] = [
  [
    'name is missing, or not of small letters, digits, ".", "_", "-" and "/"',
    ({ name }) => isText(name) && nameForm.test(name),
  ],
  ['path is missing, or leads out', ({ path }) => isSafePath(path)],
  ['data stands beside path', ({ data }) => isAbsent(data)],
  ['bytes is no whole number', ({ bytes }) => isAbsent(bytes) || Number.isSafeInteger(bytes)],
  ['hash has not the form of one', ({ hash }) => isAbsent(hash) || hashForm.test(String(hash))],
  ['title is no text', ({ title }) => isAbsent(title) || isText(title)],
  [
    'mediatype has not the form of one',
    ({ mediatype }) => isAbsent(mediatype) || /^[^\s/]+\/[^\s/]+$/.test(String(mediatype)),
  ],
  ['licenses have neither name nor path', ({ licenses }) => isAbsent(licenses) || isListOfObjects(licenses, 'name')],
  ['sources have no title', ({ sources }) => isAbsent(sources) || isListOfObjects(sources, 'title')],
  [
    'contributors have no title',
    ({ contributors }) => isAbsent(contributors) || isListOfObjects(contributors, 'title'),
  ],
];

/** Returns descriptions of the rules that a Data Package violates. Shares no code with the extension. */
export function brokenRules(value: Json): string[] {
  const resources = Array.isArray(value['resources']) ? (value['resources'] as Json[]) : [];
  const names = resources.map(({ name }) => name);
  return [
    ...packageRules.filter(([, isKept]) => !isKept(value)).map(([broken]) => broken),
    ...resources.flatMap((resource, place) =>
      resourceRules.filter(([, isKept]) => !isKept(resource)).map(([broken]) => `resources.${place}: ${broken}`),
    ),
    ...(new Set(names).size === names.length ? [] : ['two resources have one name']),
  ];
}
