import { existsSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findNode, isNewEnough, nodeMajorMin } from './find-node.mjs'
import { onEndOfNpx, runNode, serverFlags } from './run-node.mjs'

const script = fileURLToPath(new URL('./millrace.mjs', import.meta.url))

/** The bundles of the npm package. They do not exist in the repository, which runs the sources. */
const dist = new URL('../dist/', import.meta.url)
const isPackage = existsSync(new URL('server.mjs', dist))

/** Commands that work on the database without a server. */
const localCommands = ['adopt', 'retention', 'secrets']

/** Runs a command line on Node 24 or later: in this process if it fits, otherwise in another one. */
export async function launch(argv) {
  const startsServer = argv.length === 0 || (argv[0] === 'server' && argv[1] === 'start')
  // Bun and Deno name the version of Node that they imitate.
  const fits = isNewEnough(process.versions.node) && !process.versions.bun && !process.versions.deno
  // V8 reads its flags only at start.
  const missingFlags = startsServer ? serverFlags.filter((flag) => !process.execArgv.includes(flag)) : []
  if (!fits || missingFlags.length > 0) {
    const node = fits ? process.execPath : findNode()
    if (node === undefined) {
      console.error(
        `Millrace needs Node ${nodeMajorMin} or later, and this is ${process.version}. Run \`npm install --include=optional millrace\`, which brings one, or put Node ${nodeMajorMin} on the PATH.`,
      )
      process.exit(1)
    }
    await runNode(node, [...missingFlags, ...process.execArgv, script, ...argv])
  }
  if (isPackage) enableCompileCache()
  if (startsServer) {
    onEndOfNpx(() => process.kill(process.pid, 'SIGTERM'))
    return startServer(argv.slice(2))
  }
  // A server that a command starts in the background outlives npx.
  delete process.env.npm_command
  if (localCommands.includes(argv[0])) {
    const { run } = isPackage ? await import(new URL('cli-local.mjs', dist).href) : await import('@millrace/cli/local/command.ts')
    process.exitCode = await run(argv)
  } else {
    const { main } = isPackage ? await import(new URL('cli.mjs', dist).href) : await import('@millrace/cli/main.ts')
    await main(argv)
  }
}

async function startServer(argv) {
  if (!isPackage) {
    // Builds what is missing, and reads the arguments of the process itself.
    process.argv.splice(2, Number.POSITIVE_INFINITY, ...argv)
    return import('../../../scripts/start.mjs')
  }
  const { main } = await import(new URL('server.mjs', dist).href)
  await main(argv, 'millrace server start')
  // Node writes the cache at a normal exit only, and a server may be killed.
  module.flushCompileCache()
}

/** Halves the load time of later starts. Node ignores a folder that it cannot write. */
function enableCompileCache() {
  try {
    const folder = cacheFolder()
    // Node does not return if it cannot create the parents, as below /proc.
    if (isAbsolute(folder) && existsSync(dirname(folder))) module.enableCompileCache(join(folder, 'millrace'))
  } catch {
    // A user without a home directory.
  }
}

function cacheFolder() {
  if (process.env.XDG_CACHE_HOME) return process.env.XDG_CACHE_HOME
  if (process.platform === 'win32' && process.env.LOCALAPPDATA) return process.env.LOCALAPPDATA
  return process.platform === 'darwin' ? join(homedir(), 'Library', 'Caches') : join(homedir(), '.cache')
}
