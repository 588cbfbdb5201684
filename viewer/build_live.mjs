// What the program needs for live pages, as a C file:   node build_live.mjs FOLDER_OF_SOLVER OUTPUT.c
import {build} from 'esbuild';
import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {deflateSync} from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url)), root = dirname(here);
const [folder, output] = process.argv.slice(2);
const glue = readFileSync(join(folder, 'solver.js'), 'utf8'), worker = readFileSync(join(here, 'solver/worker.js'), 'utf8');
const bundled = await build({stdin: {contents: `${glue}\n${worker}`, loader: 'js'}, minify: true, write: false, target: ['es2021'], logLevel: 'error'});

// Models that the playground offers: those that need no other file.
function models() {
  const list = [];
  const add = (group, name, path) => {
    const text = readFileSync(path, 'utf8');
    if (!/^\s*(-\s*)?\{?\s*(use|file|mesh)\s*:/m.test(text) && text.length < 60000) list.push({group, name, text});
  };
  for (const name of readdirSync(join(root, 'problems')).sort()) {
    const path = join(root, 'problems', name, 'model.yaml');
    if (existsSync(path)) add('problems', name, path);
  }
  for (const file of readdirSync(join(root, 'examples/models')).sort()) if (file.endsWith('.yaml')) add('examples', file.replace(/\.yaml$/, ''), join(root, 'examples/models', file));
  return list;
}

function array(name, bytes) {
  const lines = [], packed = deflateSync(bytes, {level: 9});
  for (let k = 0; k < packed.length; k += 32) lines.push(packed.subarray(k, k + 32).join(','));
  return `const unsigned char ${name}[] = {\n${lines.join(',\n')}};\nconst size_t ${name}_length = ${packed.length};\n`;
}

const examples = {models: models(), schema: JSON.parse(readFileSync(join(root, 'sarrus.schema.json'), 'utf8'))};
writeFileSync(output, '/* Made by viewer/build_live.mjs. */\n#include "pages/live.h"\n\n' + array('cli_live_worker', bundled.outputFiles[0].contents) +
              array('cli_live_wasm', readFileSync(join(folder, 'solver.wasm'))) + array('cli_live_playground', Buffer.from(JSON.stringify(examples))) + 'const char* const cli_live_missing = NULL;\n');
