// Plain JavaScript without syntax newer than Node 14.8 (top-level await), so that an old Node can print the error below.
import cluster from 'node:cluster'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { runNode, serverEnvironment, serverFlags } from '../packages/millrace/bin/run-node.mjs'

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `Millrace needs Node 24, but this is ${process.version}. Run \`npm ci\` and then \`npm start\`, which uses the Node that npm installed.`,
  )
  process.exit(1)
}

// The script "start" of package.json has these flags and variables, which avoids the restart. They are read only at start.
if (!serverFlags.every((flag) => process.execArgv.includes(flag))) {
  const args = [...serverFlags, ...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  await runNode(process.execPath, args, serverEnvironment())
}

// The compile cache halves the remaining load time.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/millrace', import.meta.url)))

if (!process.argv.includes('--no-ui')) {
  const { builtDashboard } = await import('./build-dashboard.ts')
  try {
    builtDashboard()
  } catch (error) {
    console.error(`Cannot build the dashboard; the server starts without it: ${error.message}`)
  }
}
const { builtServer } = await import('./build-server.ts')
const { main } = await import(await builtServer())
await main(process.argv.slice(2))
// After the start, which must not wait for it. Members of a group of processes start this file too.
if (cluster.isPrimary && !['--no-ui', '--services-only', '--help', '--version'].some((flag) => process.argv.includes(flag))) {
  const { buildSiteInBackground } = await import('./build-site.ts')
  buildSiteInBackground()
}
// Node writes the cache at a normal exit only, and a server may be killed.
module.flushCompileCache()
