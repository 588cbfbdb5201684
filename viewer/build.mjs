// Bundle the page's script and style into a C file:   node build.mjs OUTPUT.c
import {build} from 'esbuild';
import {readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const common = {bundle: true, minify: true, write: false, target: ['es2021'], charset: 'utf8', legalComments: 'eof', logLevel: 'warning'};
const script = await build({...common, entryPoints: [join(here, 'src/main.js')], format: 'iife'});
const style = await build({...common, stdin: {contents: '@import "uplot/dist/uPlot.min.css";\n' + readFileSync(join(here, 'src/style.css'), 'utf8'), resolveDir: join(here, 'src'), loader: 'css'}});

function array(name, bytes) {
  const lines = [];
  for (let k = 0; k < bytes.length; k += 32) lines.push(bytes.slice(k, k + 32).join(','));
  return `const unsigned char ${name}[] = {\n${lines.join(',\n')}};\nconst size_t ${name}_length = ${bytes.length};\n`;
}

const [output] = process.argv.slice(2);
writeFileSync(output, '/* Made by viewer/build.mjs. */\n#include "pages/viewer.h"\n\n' + array('cli_viewer_script', script.outputFiles[0].contents) +
              array('cli_viewer_style', style.outputFiles[0].contents) + 'const char* const cli_viewer_missing = NULL;\n');
