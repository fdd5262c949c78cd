import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import { commands, extensions, Uri } from 'vscode';
import { panelTypes, viewIds } from '../../src/extension/editor/contributions.ts';
import { readConnections } from '../../src/extension/editor/settings.ts';
import { isJsonObject, type JsonObject } from '../../src/core/util/json.ts';
import { extensionId } from './stage.ts';

interface WalkthroughStep {
  readonly id: string;
  readonly description: string;
  readonly media: { readonly svg: string };
  readonly completionEvents: readonly string[];
}

interface Manifest {
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly supported: string; readonly restrictedConfigurations: readonly string[] };
  };
  readonly activationEvents: readonly string[];
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string; readonly category: string }[];
    readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly viewsWelcome: readonly { readonly view: string; readonly contents: string }[];
    readonly walkthroughs: readonly { readonly steps: readonly WalkthroughStep[] }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string; readonly when?: string }[]>>;
    readonly configuration: { readonly properties: Readonly<Record<string, JsonObject>> };
  };
}

describe('The manifest', () => {
  const views: readonly string[] = Object.values(viewIds);
  let manifest: Manifest;
  let texts: Record<string, string>;
  let declared: readonly string[];
  let contributions: string;

  before(async () => {
    manifest = JSON.parse(await readText('package.json')) as Manifest;
    texts = JSON.parse(await readText('package.nls.json')) as Record<string, string>;
    declared = manifest.contributes.commands.map(({ command }) => command).sort();
    contributions = await readText('src/extension/editor/contributions.ts');
    await extensions.getExtension(extensionId)?.activate();
  });

  it('declares exactly the commands that are registered', async () => {
    const registered = (await commands.getCommands(true)).filter(
      (id) => id.startsWith('dataTransfer.') && !views.some((view) => id.startsWith(`${view}.`)),
    );
    assert.deepEqual(registered.sort(), declared);
  });

  it('gives every command a title and the category', () => {
    for (const { command, title, category } of manifest.contributes.commands) {
      assert.ok(texts[title.replaceAll('%', '')], command);
      assert.equal(category, '%category%', command);
    }
  });

  it('declares exactly the views for which the program provides content', () => {
    const ids = Object.values(manifest.contributes.views).flatMap((some) => some.map(({ id }) => id));
    assert.deepEqual(ids.sort(), [...views].sort());
    for (const { view } of manifest.contributes.viewsWelcome) assert.ok(views.includes(view), view);
  });

  it('uses only declared commands in welcome views', () => {
    const welcome = manifest.contributes.viewsWelcome.map(({ contents }) => texts[contents.replaceAll('%', '')] ?? '');
    const inWelcome = [...welcome.join('\n').matchAll(/\]\(command:([\w.]+)[?)]/g)].map(([, id]) => id ?? '');
    assert.ok(inWelcome.length > 0);
    const ofEditor = ['workbench.trust.manage', 'workbench.action.openWalkthrough', 'workbench.action.openSettings'];
    for (const id of inWelcome) assert.ok(declared.includes(id) || ofEditor.includes(id), id);
  });

  it('has a walkthrough whose steps have an image and commands, and are completed by program events', async () => {
    const steps = manifest.contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
    assert.deepEqual(
      steps.map(({ id }) => id),
      ['connect', 'find', 'transfer', 'watch'],
    );
    const known = [...declared, ...listKeys(contributions, 'ContextKeys')];
    for (const { id, description, media, completionEvents } of steps) {
      assert.match(await readText(media.svg), /var\(--vscode-/, `${id}: the image uses theme colors`);
      const text = texts[description.replaceAll('%', '')] ?? '';
      const named = [...text.matchAll(/\]\(command:([\w.]+)\)/g)].map(([, command]) => command ?? '');
      const isLookedAt = ' && activeEditor == gettingStartedPage';
      const events = completionEvents.map((event) => {
        const [, name] = /^on(?:Context|Command):([\w.]+)$/.exec(event.replace(isLookedAt, '')) ?? [];
        return name ?? event;
      });
      assert.ok(named.length > 0 && events.length > 0, id);
      // The editor ignores conditions that are already true when it reads the steps, so a condition has to become true
      // later.
      for (const event of completionEvents.filter((one) => /^onContext:[\w.]+$/.test(one)))
        assert.ok(completionEvents.includes(`${event}${isLookedAt}`), event);
      for (const name of [...named, ...events]) assert.ok(known.includes(name), `${id}: ${name}`);
    }
  });

  it('reads exactly the context keys that the program sets', () => {
    const clauses = stringsUnder(manifest.contributes, ['when', 'enablement']);
    const words = clauses.flatMap((clause) => clause.match(/dataTransfer\.[\w.]+/g) ?? []);
    const pages: readonly string[] = Object.values(panelTypes);
    const read = [...new Set(words.filter((word) => ![...views, ...pages].includes(word)))].sort();
    assert.deepEqual(read, listKeys(contributions, 'ContextKeys'));
  });

  it('uses only context keys of the program or the editor in its conditions', () => {
    const ofEditor = [
      ...['view', 'viewItem', 'isWorkspaceTrusted', 'editorTextFocus', 'isLinux', 'isMac', 'isWindows'],
      ...[
        'explorerResourceIsFolder',
        'resourceExtname',
        'resourceFilename',
        'resource',
        'resourceScheme',
        'resourceDirname',
        'activeWebviewPanelId',
      ],
      ...['focusedView', 'listFocus', 'inputFocus', 'treestickyScrollFocused'],
    ];
    const known = new Set([...ofEditor, ...listKeys(contributions, 'ContextKeys')]);
    const clauses = stringsUnder(manifest.contributes, ['when', 'enablement']);
    const conditions = clauses
      .flatMap((clause) => clause.split(/\s*(?:&&|\|\|)\s*/))
      .filter((part) => part !== 'false');
    assert.ok(conditions.length > 50);
    for (const condition of conditions) {
      const key = /^!?([\w.]+)(?: (?:==|!=|=~|in) \S.*)?$/.exec(condition)?.[1];
      assert.ok(known.has(key ?? ''), condition);
    }
  });

  it('uses only context values of existing tree rows in its conditions', async () => {
    const clauses = stringsUnder(manifest.contributes.menus, ['when']).join('\n');
    const kinds = [...clauses.matchAll(/viewItem == ([\w.]+)/g)].map(([, kind]) => kind ?? '');
    const sources = await Promise.all(
      [
        ...['connections/databaseTree', 'recipes/recipeTree', 'search/searchItems'],
        ...['transfers/transferItems', 'transfers/transferTree'],
      ].map((name) => readText(`src/extension/features/${name}.ts`)),
    );
    assert.ok(kinds.length > 0);
    for (const kind of kinds) assert.ok(sources.join('\n').includes(`'${kind}'`), kind);
  });

  it('activates the extension for every page that is restored after a reload', () => {
    const events = manifest.activationEvents.filter((event) => event.startsWith('onWebviewPanel:'));
    assert.deepEqual(
      events.sort(),
      Object.values(panelTypes)
        .map((type) => `onWebviewPanel:${type}`)
        .sort(),
    );
  });

  it('has exactly the messages that it references', () => {
    const named = [...JSON.stringify(manifest).matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key ?? '');
    assert.deepEqual([...new Set(named)].sort(), Object.keys(texts).sort());
    for (const [key, text] of Object.entries(texts)) assert.notEqual(text.trim(), '', key);
  });

  it('describes every setting and all of its properties', () => {
    const { properties } = manifest.contributes.configuration;
    assert.ok(Object.keys(properties).length > 5);
    for (const [id, setting] of Object.entries(properties)) {
      assert.ok('default' in setting, `${id} has a default`);
      for (const [name, part] of [[id, setting] as const, ...listSchemaParts(id, setting)]) {
        const description = part['description'] ?? part['markdownDescription'];
        assert.ok(typeof description === 'string' && texts[description.replaceAll('%', '')], `${name} is described`);
        const { enum: values, enumDescriptions } = part;
        if (Array.isArray(enumDescriptions)) assert.equal(enumDescriptions.length, (values as unknown[]).length, name);
      }
    }
  });

  it("doesn't let a workspace determine the server that receives the key", () => {
    const { properties } = manifest.contributes.configuration;
    for (const id of ['connections', 'orcid', 'localService.databases', 'rclone.path', 'agents.submit']) {
      assert.equal(properties[`dataTransfer.${id}`]?.['scope'], 'machine', id);
    }
  });

  it('restricts settings that name a service, a folder or a user in an untrusted workspace', () => {
    const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    assert.equal(supported, 'limited');
    for (const id of ['agents.submit', 'connections', 'localService.databases', 'orcid', 'rclone.path'])
      assert.ok(restrictedConfigurations.includes(`dataTransfer.${id}`), id);
  });

  it('restricts every setting that a workspace can change in an untrusted workspace', () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    const settings = Object.entries(manifest.contributes.configuration.properties);
    const changeable = settings.filter(([, { scope }]) => scope !== 'machine').map(([id]) => id);
    assert.ok(changeable.length > 0);
    assert.deepEqual(
      changeable.filter((id) => !restrictedConfigurations.includes(id)),
      [],
    );
    for (const id of restrictedConfigurations)
      assert.ok(
        settings.some(([known]) => known === id),
        id,
      );
  });

  it('has a schema for saved connections that matches the properties read by the program', () => {
    const { items } = manifest.contributes.configuration.properties['dataTransfer.connections'] ?? {};
    assert.ok(isJsonObject(items));
    const isRight = new Ajv({ strict: false }).compile(items);
    const right = { id: 'a', name: 'Alpha', server: 'https://a.example.org' };
    const entries: readonly unknown[] = [
      right,
      { ...right, port: 8080, scheme: 'plain', transport: 'editor', allowInsecureHttp: true, apiKeyVariable: 'A_KEY' },
      { ...right, server: 'HTTPS://A.example.org' },
      'https://a.example.org',
      { ...right, id: undefined },
      { ...right, id: '' },
      { ...right, server: 'a.example.org' },
      { ...right, port: 0 },
      { ...right, port: '80' },
      { ...right, scheme: 'odd' },
      { ...right, transport: 1 },
      { ...right, allowInsecureHttp: 'yes' },
      { ...right, apiKeyVariable: 'the key' },
    ].map((entry) => JSON.parse(JSON.stringify(entry)) as unknown);
    for (const entry of entries) {
      const { connections } = readConnections([entry]);
      assert.equal(isRight(entry), connections.length === 1, JSON.stringify(entry));
    }
    assert.equal(isRight({ ...right, apiKey: 'secret' }), false, "a key isn't allowed in a setting");
  });
});

async function readText(path: string): Promise<string> {
  const extension = extensions.getExtension(extensionId);
  assert.ok(extension);
  return await readFile(Uri.joinPath(extension.extensionUri, path).fsPath, 'utf8');
}

/** Returns the quoted keys that the interface `name` declares in `source`. Interfaces don't exist at run time. */
function listKeys(source: string, name: string): string[] {
  const body = new RegExp(`interface ${name} \\{([^}]*)\\}`).exec(source)?.[1] ?? '';
  return [...body.matchAll(/'(dataTransfer\.\w+)':/g)].map(([, key]) => key ?? '').sort();
}

function stringsUnder(value: unknown, names: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => stringsUnder(item, names));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    typeof item === 'string' ? (names.includes(name) ? [item] : []) : stringsUnder(item, names),
  );
}

function listSchemaParts(id: string, { items }: JsonObject): readonly (readonly [string, JsonObject])[] {
  const properties = isJsonObject(items) ? items['properties'] : undefined;
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, part]) => (isJsonObject(part) ? [[`${id}.${name}`, part]] : []));
}
