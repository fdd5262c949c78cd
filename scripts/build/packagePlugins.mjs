/** esbuild plugins that adapt packages to the bundles. */
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

const protocol = '@modelcontextprotocol/server';

/**
 * The undici modules that the client never uses, because it only sends strings over HTTP/1.1 and rejects SOCKS proxies.
 */
const unusedModules =
  /[\\/]undici[\\/]lib[\\/](?:dispatcher[\\/](?:client-h2|socks5-proxy-agent)|web[\\/]fetch[\\/]body)\.js$/;

/**
 * Lets packages load built-in Node.js modules with `require`, which doesn't exist in ECMAScript modules. An import of
 * `node:http` becomes a `require` as well, because an import reads every export, and some of them load Node.js's own
 * undici: two thirds of the time in which an empty program starts.
 */
export function loadNodeModules() {
  return {
    name: 'load-node-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path, kind }) =>
        path === 'node:http' || (kind === 'require-call' && isBuiltin(path))
          ? { path, namespace: 'node-module' }
          : undefined,
      );
      onLoad({ filter: /./, namespace: 'node-module' }, ({ path }) => ({
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      }));
    },
  };
}

/**
 * Omits code that is never used: the undici modules above, and the MCP library's JSON Schema validator that generates
 * code. Also omits the SIMD build of undici's HTTP parser, because the other build runs on every processor. Embeds that
 * other build compressed.
 */
export function omitUnusedCode() {
  return {
    name: 'omit-unused-code',
    setup({ onResolve, onLoad }) {
      onLoad({ filter: unusedModules }, () => ({ contents: '' }));
      onResolve({ filter: /llhttp_simd-wasm\.js$/ }, ({ resolveDir }) => ({
        path: join(resolveDir, '..', 'llhttp', 'llhttp-wasm.js'),
      }));
      onLoad({ filter: /llhttp[\\/]constants\.js$/ }, ({ path }) => {
        const { ERROR, TYPE } = loadModule(path);
        return { contents: `module.exports = ${JSON.stringify({ ERROR, TYPE })};` };
      });
      onLoad({ filter: /llhttp-wasm\.js$/ }, ({ path }) => ({ contents: toCompressedModule(loadModule(path)) }));
      onResolve({ filter: new RegExp(`^${protocol}/_shims$`) }, ({ path, resolveDir }) => ({
        path,
        namespace: 'agent-shims',
        pluginData: resolveDir,
      }));
      onLoad({ filter: /./, namespace: 'agent-shims' }, ({ pluginData: resolveDir }) => ({
        contents: shims,
        resolveDir,
      }));
    },
  };
}

/** Omits access to stores, which no task on a cluster has. */
export function omitStores() {
  const names = [
    'findReportedTime',
    'StoreClient',
    'BatchFolder',
    'StoreBatches',
    'selectBatch',
    'StoreCopy',
    'StoreSink',
  ];
  const contents = names.map((name) => `export const ${name} = undefined;`).join('\n');
  return {
    name: 'omit-stores',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]store(?:Batches|Client|Features|Sink)\.ts$/ }, () => ({ contents }));
    },
  };
}

/**
 * Decodes named character references, such as `&copy;`, with the browser's own table. A bundled table would make up a
 * fifth of the compressed size of the pages' bundles.
 */
export function decodeNamesInBrowser() {
  return {
    name: 'decode-names-in-browser',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^entities$/ }, ({ path }) => ({ path, namespace: 'browser-decoder' }));
      onLoad({ filter: /./, namespace: 'browser-decoder' }, () => ({ contents: browserDecoder }));
    },
  };
}

const browserDecoder = `
  const element = document.createElement('textarea');
  export function decodeHTMLStrict(text) {
    element.innerHTML = text;
    const decoded = element.textContent;
    // A browser also decodes a name that is only a prefix, such as 'not' in '&notes;'.
    return decoded.length > 1 && decoded.endsWith(';') ? text : decoded;
  }
`;

const loadModule = createRequire(import.meta.url);

/** Returns the source of a module with compressed bytes: a package compresses text in files less well than Brotli. */
function toCompressedModule(bytes) {
  const text = brotliCompressSync(bytes).toString('base64');
  return `module.exports = process.getBuiltinModule('node:zlib').brotliDecompressSync(Buffer.from('${text}', 'base64'));`;
}

const shims = `
  export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '${protocol}/validators/cf-worker';
  export { default as process } from 'node:process';
`;
