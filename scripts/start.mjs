// Plain JavaScript, without anything newer than Node 12, because it has to be understood by a Node that is too old for the rest.
import module from 'node:module'
import { fileURLToPath } from 'node:url'

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(`Millrace needs Node 24 and this is ${process.version}: run \`npm ci\` and then \`npm start\`, which brings and uses its own.`)
  process.exit(1)
}

// The same as in the script "start" of package.json, which spares the second start of Node. V8 reads them only as it starts.
const v8Flags = ['--max-semi-space-size=32']
if (!v8Flags.every((flag) => process.execArgv.includes(flag))) {
  const { restartWith } = await import('./restart-with.mjs')
  await restartWith(v8Flags, fileURLToPath(import.meta.url))
}

// The compile cache halves what is left of the time to load the server.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/millrace', import.meta.url)))

if (!process.argv.includes('--no-ui')) {
  const { builtDashboard } = await import('./build-dashboard.ts')
  try {
    builtDashboard()
  } catch (error) {
    console.error(`The dashboard could not be built, the server starts without it: ${error.message}`)
  }
}
const { builtServer } = await import('./build-server.ts')
const { main } = await import(await builtServer())
await main(process.argv.slice(2))
// Node would keep it only at an orderly end, which a server does not always come to.
module.flushCompileCache()
