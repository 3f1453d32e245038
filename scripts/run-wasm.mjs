// SPDX-License-Identifier: Zlib
// Runs a WebAssembly program with WASI, the working directory being all that it sees of the files:
//   node --no-warnings scripts/run-wasm.mjs PROGRAM.wasm [ARGUMENT...]
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const [path, ...rest] = process.argv.slice(2);
const wasi = new WASI({
    version: 'preview1',
    args: [path, ...rest],
    preopens: { '.': process.cwd() },
    returnOnExit: true,
});
const module = await WebAssembly.compile(await readFile(path));
const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
process.exitCode = wasi.start(instance);
