import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findNode, isNewEnough, nodeMajorMin } from './find-node.mjs'
import { enableCompileCache, runNode, serverEnvironment, serverFlags } from './run-node.mjs'

/** The bundles of the npm package. The repository has none and runs the sources. */
const bundledCli = new URL('../dist/cli.mjs', import.meta.url)
const isPackage = existsSync(bundledCli)
const serverScript = fileURLToPath(isPackage ? new URL('./server.mjs', import.meta.url) : new URL('../../../scripts/start.mjs', import.meta.url))
const ownScript = fileURLToPath(new URL('./millrace.mjs', import.meta.url))

/** Runs a command line on Node 24 or later: in this process if it fits, otherwise in another one. */
export async function launch(argv) {
  // Bun and Deno name the version of Node that they imitate.
  const isNode = !process.versions.bun && !process.versions.deno
  const fits = isNode && isNewEnough(process.versions.node)
  const node = fits ? process.execPath : findNode()
  if (node === undefined) {
    console.error(
      `Millrace needs Node ${nodeMajorMin} or later, and this is ${process.version}. Run \`npm install --include=optional millrace\`, which brings one, or put Node ${nodeMajorMin} on the PATH.`,
    )
    process.exit(1)
  }
  const nodeFlags = isNode ? process.execArgv : []
  const serverArguments = argumentsOfServer(argv)
  // V8 reads the flags of the server only at start.
  if (serverArguments) return runNode(node, [...serverFlags, ...nodeFlags, serverScript, ...serverArguments], serverEnvironment())
  if (!fits) return runNode(node, [...nodeFlags, ownScript, ...argv])
  if (isPackage) enableCompileCache()
  // A server that a command starts in the background outlives npx.
  delete process.env.npm_command
  const { main } = isPackage ? await import(bundledCli.href) : await import('@millrace/cli/main.ts')
  await main(argv, [node, ...serverFlags, serverScript])
}

/** Flags of the server, and whether they take a value. A command line with any other one is left to the command line. */
const flags = {
  '--host': true,
  '--port': true,
  '--database': true,
  '--processes': true,
  '--allow-anonymous': false,
  '--no-services': false,
  '--no-ui': false,
  '--services-only': false,
}

/** The arguments of a plain `millrace` or `millrace server start`, which starts the server without loading the command line. */
function argumentsOfServer(argv) {
  const args = argv[0] === 'server' && argv[1] === 'start' ? argv.slice(2) : argv
  for (let index = 0; index < args.length; index += 1) {
    const [name, value] = args[index].split('=', 2)
    if (!Object.hasOwn(flags, name)) return undefined
    if (flags[name] && value === undefined) index += 1
  }
  return args
}
